// Orders that their wallets cannot pay for: refused with what is missing, and taken off the book when the cover goes.
import { ValidationAnswer } from '@presage/protocol';
import { type OrderAnswerBody, type WireOrderParams, waitFor, walletOf } from '@presage/testkit';
import { zeroAddress } from 'viem';
import type { PrivateKeyAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fundAndApprove, OnChainWallet, UNLIMITED } from './approvals.ts';
import { Exchange } from './exchange.ts';
import { RelayedWallet } from './relayed-wallet.ts';
import { type ErrorReply, expectShape, type LifeEvent, type MarketBody, type OrderBody } from './wire.ts';

const ENV = { PRESAGE_SANDBOX_AUTOFUND: 'off', PRESAGE_QUICK_ASSETS: 'off' };
const elsewhere = walletOf('cover elsewhere').address;
/** Ten shares at a half, and room for the rounding of a thousand fills. */
const FIVE = 5_001_000n;
let exchange: Exchange;
let market: MarketBody;

beforeAll(async () => {
  exchange = await Exchange.open({ env: ENV });
  market = await exchange.newMarket('Who can pay?');
});
afterAll(() => exchange?.close());

interface Visitor {
  readonly account: PrivateKeyAccount;
  readonly onChain: OnChainWallet;
}

async function visitor(name: string): Promise<Visitor> {
  const account = walletOf(`cover ${name}`);
  return { account, onChain: await OnChainWallet.open(exchange, account) };
}

/** Ten shares of YES at a half unless something else is given. */
function orderParams(side: 'buy' | 'sell', over: Partial<WireOrderParams> = {}): WireOrderParams {
  return { market: market.id, side, price: '0.5', size: '10', ...over };
}

async function refusal(
  { account }: Pick<Visitor, 'account'>,
  order: WireOrderParams,
): Promise<ErrorReply & { status: number }> {
  const { status, body } = await exchange.client.placeOrder(account, order);
  return { status, ...(body as unknown as ErrorReply) };
}

async function fundsOf({ account }: Visitor, order: WireOrderParams) {
  const { body } = await exchange.client.post<{ funds: Record<string, unknown>; errors: { code: string }[] }>(
    '/api/v1/orders/validate',
    await exchange.client.signOrder(account, order),
  );
  expectShape(body, ValidationAnswer);
  return { funds: body.funds, errors: body.errors.map(({ code }) => code) };
}

function balancesOf({ account }: Pick<Visitor, 'account'>): Promise<Record<string, string>> {
  return exchange.client.read(`/api/v1/users/${account.address}/balances?chain_id=${exchange.client.domain.chainId}`);
}

function statusOf({ orderHash }: Pick<OrderAnswerBody, 'orderHash'>): Promise<OrderBody> {
  return exchange.client.read<OrderBody>(`/api/v1/orders/${orderHash}`);
}

async function expectUncovered(order: OrderAnswerBody): Promise<void> {
  await waitFor('the order is cancelled', async () => (await statusOf(order)).status === 'cancelled');
  const { events } = await exchange.client.read<{ events: LifeEvent[] }>(`/api/v1/orders/${order.orderHash}/events`);
  expect(events.at(-1)).toMatchObject({ type: 'cancelled', reason: 'insufficient_cover' });
}

describe('a purchase', () => {
  it('needs the money, then the allowance, and is accepted as soon as both are there', async () => {
    const ann = await visitor('ann');
    const { settlement, stablecoin } = ann.onChain.chain;
    const place = { token: stablecoin.address, spender: settlement.address };
    expect(await refusal(ann, orderParams('buy'))).toMatchObject({
      status: 400,
      code: 'insufficient_balance',
      details: { ...place, required: '5001000', available: '0', reserved: '0', fix: expect.stringMatching(/5001000/) },
    });
    await ann.onChain.fund(FIVE);
    expect(await refusal(ann, orderParams('buy'))).toMatchObject({
      status: 400,
      code: 'insufficient_allowance',
      details: { ...place, required: '5001000', available: '0', reserved: '0', fix: expect.stringMatching(/permit/) },
    });
    expect(await fundsOf(ann, orderParams('buy'))).toEqual({
      funds: {
        ...place,
        required: '5001000',
        available: '5001000',
        reserved: '0',
        balance: '5001000',
        allowance: '0',
        sharesRequired: '0',
        sharesApproved: false,
        covered: false,
      },
      errors: ['insufficient_allowance'],
    });
    await ann.onChain.approve(4_999_999n);
    expect(await refusal(ann, orderParams('buy'))).toMatchObject({ code: 'insufficient_allowance' });
    await ann.onChain.approve(5_000_000n);
    expect(await fundsOf(ann, orderParams('buy'))).toMatchObject({ funds: { covered: true }, errors: [] });
    await exchange.client.order(ann.account, orderParams('buy'));
  });

  it('finds what open orders reserve, until they are cancelled', async () => {
    const ben = await visitor('ben');
    await ben.onChain.fund(FIVE + 100n);
    await ben.onChain.approve(UNLIMITED);
    const first = await exchange.client.order(ben.account, orderParams('buy', { price: '0.4' }));
    const details = { required: '5001000', reserved: '4001000', available: '1000100' };
    expect(await refusal(ben, orderParams('buy'))).toMatchObject({ code: 'insufficient_balance', details });
    expect(await balancesOf(ben)).toMatchObject({ reserved: '4001000', available: '1000100', balance: '5001100' });
    await exchange.client.delete(`/api/v1/orders/${first.orderHash}?marketId=${market.id}`);
    await exchange.client.order(ben.account, orderParams('buy'));
  });

  it('is counted from the moment it is admitted: of a batch only what can be paid goes on the book', async () => {
    const cas = await visitor('cas');
    await cas.onChain.fund(2n * FIVE);
    await cas.onChain.approve(UNLIMITED);
    const orders = await Promise.all(
      ['0.5', '0.5', '0.5', '0.5'].map((price) =>
        exchange.client.signOrder(cas.account, orderParams('buy', { price })),
      ),
    );
    const { body } = await exchange.client.post<{ results: { code?: string; status?: string }[] }>(
      '/api/v1/orders/batch',
      { orders },
    );
    expect(body.results.filter(({ status }) => status === 'accepted')).toHaveLength(2);
    expect(body.results.filter(({ code }) => code === 'insufficient_balance')).toHaveLength(2);
    // The refused ones hold nothing.
    expect(await balancesOf(cas)).toMatchObject({ reserved: '10002000' });
  });

  it('may include its allowance: a permit counts at once and until it is mined', async () => {
    const account = walletOf('cover pat');
    await (await OnChainWallet.open(exchange, account)).fund(2n * FIVE);
    const pat = await RelayedWallet.open(exchange, account);
    const permit = (await pat.permit(pat.chain.settlement.address, 2n * FIVE)) as Record<'deadline', string>;
    const permitSignature = { ...permit, nonce: 0, deadline: Number(permit.deadline) };
    const first = await exchange.client.signOrder(account, orderParams('buy'));
    const { status, body } = await exchange.client.post<OrderAnswerBody>('/api/v1/orders', {
      ...first,
      permitSignature,
    });
    expect(status, JSON.stringify(body)).toBe(200);
    const second = await exchange.client.order(account, orderParams('buy'));
    await waitFor('the permit is mined', async () => (await balancesOf({ account })).allowance === `${2n * FIVE}`);
    for (const order of [body, second]) expect(await statusOf(order)).toMatchObject({ status: 'open' });
    expect(await refusal({ account }, orderParams('buy'))).toMatchObject({ details: { reserved: `${2n * FIVE}` } });
  });

  it('keeps the published order of checks: a used nonce is reported before a lack of money', async () => {
    const dee = await visitor('dee');
    await dee.onChain.fund(FIVE);
    await dee.onChain.approve(UNLIMITED);
    await exchange.client.order(dee.account, orderParams('buy', { nonce: 7n }));
    expect(await refusal(dee, orderParams('buy', { nonce: 7n, price: '0.6' }))).toMatchObject({
      code: 'nonce_already_used',
    });
    expect(await refusal(dee, orderParams('buy', { nonce: 8n }))).toMatchObject({ code: 'insufficient_balance' });
  });

  it('is refused under a nonce that was cancelled on chain', async () => {
    const eve = await visitor('eve');
    await eve.onChain.fund(FIVE);
    await eve.onChain.approve(UNLIMITED);
    await eve.onChain.requestCancel(market, 40n);
    const refused = await refusal(eve, orderParams('buy', { nonce: 40n }));
    expect(refused).toMatchObject({ status: 409, code: 'nonce_already_used', details: { onChain: true } });
    await exchange.client.order(eve.account, orderParams('buy', { nonce: 41n }));
  });
});

describe('a sale', () => {
  it('without shares needs what the mint takes beyond the proceeds', async () => {
    const flo = await visitor('flo');
    await flo.onChain.fund(3_999_999n);
    await flo.onChain.approve(UNLIMITED);
    const sale = orderParams('sell', { price: '0.6' });
    expect(await refusal(flo, sale)).toMatchObject({ code: 'insufficient_balance', details: { required: '4000000' } });
    await flo.onChain.fund(1n);
    await exchange.client.order(flo.account, sale);
  });

  it('of held shares needs their approval and no money, and the mint only for the rest', async () => {
    const gus = await visitor('gus');
    await gus.onChain.fund(10_000_000n);
    await gus.onChain.split(market, 10_000_000n);
    const { conditionalTokens, settlement } = gus.onChain.chain;
    const sale = orderParams('sell', { price: '0.7' });
    expect(await refusal(gus, sale)).toMatchObject({
      code: 'insufficient_allowance',
      details: { token: conditionalTokens.address, spender: settlement.address, required: '10000000', available: '0' },
    });
    expect((await fundsOf(gus, sale)).funds).toMatchObject({ sharesRequired: '10000000', covered: false });
    await gus.onChain.approveShares(true);
    const first = await exchange.client.order(gus.account, sale);
    expect(await refusal(gus, sale)).toMatchObject({ code: 'insufficient_balance', details: { required: '3000000' } });
    await gus.onChain.approveShares(false);
    await expectUncovered(first);
  });
});

describe('the zero address', () => {
  it('keeps nobody from being read, though the token refuses to tell what it holds', async () => {
    const nobody = { trader: zeroAddress };
    const sal = await visitor('sal');
    const examined = {
      ...(await exchange.client.signOrder(sal.account, orderParams('sell'))),
      signature: `0x${'11'.repeat(65)}`,
    };
    const questions = Array.from({ length: 20 }, () =>
      exchange.client.post<{ errors: { code: string }[] }>('/api/v1/orders/validate', {
        ...examined,
        order: { ...examined.order, ...nobody },
      }),
    );
    expect(await refusal(sal, orderParams('buy'))).toMatchObject({ status: 400, code: 'insufficient_balance' });
    for (const { body } of await Promise.all(questions)) {
      expect(body.errors.map(({ code }) => code)).not.toContain('chain_unavailable');
    }
  });

  it('has nothing to claim, and no shares', async () => {
    const { chainId } = exchange.client.domain;
    const claims = await exchange.client.read(
      `/api/v1/users/${zeroAddress}/claim-data?chain_id=${chainId}&markets=${market.id}`,
    );
    expect(claims).toMatchObject({ markets: [{ winning_balance: 0, ctf_nonce: 0 }] });
    const synced = await exchange.client.post(`/api/v1/positions/${market.id}/sync`, { userAddress: zeroAddress });
    expect(synced).toMatchObject({ status: 200, body: { yesShares: 0, noShares: 0 } });
  });
});

describe('fills that are not settled', () => {
  it('are reserved while the chain is unreachable, and wallets not read before must wait for it', async () => {
    const [hal, ida, jan] = [await visitor('hal'), await visitor('ida'), await visitor('jan')];
    await fundAndApprove(exchange, hal.account);
    await ida.onChain.fund(2n * FIVE);
    await ida.onChain.approve(UNLIMITED);
    const here = await exchange.newMarket('Who pays while the chain is unreachable?');
    const at = { market: here.id } as const;
    await exchange.client.order(hal.account, orderParams('sell', at));
    await fundsOf(ida, orderParams('buy', at));
    await exchange.client.post('/sandbox/faults', { chain: 'down' });
    expect(await exchange.client.order(ida.account, orderParams('buy', at))).toMatchObject({ matches: 1 });
    const reserved = { reserved: '5000000', available: '5002000' };
    expect(await refusal(ida, orderParams('buy', { ...at, size: '11' }))).toMatchObject({ details: reserved });
    expect(await refusal(jan, orderParams('buy', at))).toMatchObject({ status: 503, code: 'chain_unavailable' });
    expect(await fundsOf(jan, orderParams('buy', at))).toEqual({ funds: null, errors: ['chain_unavailable'] });
    await exchange.client.post('/sandbox/faults', { chain: 'up' });
    await exchange.settled();
    const settled = { balance: '5002000', reserved: '0', available: '5002000' };
    expect((await fundsOf(ida, orderParams('buy', at))).funds).toMatchObject(settled);
    expect(await balancesOf(ida)).toMatchObject(settled);
    await exchange.client.order(ida.account, orderParams('buy', at));
  });

  it('leave the book alone when they settle as expected', async () => {
    const [kim, lea] = [await visitor('kim'), await visitor('lea')];
    await fundAndApprove(exchange, kim.account);
    await lea.onChain.fund(2n * FIVE);
    await lea.onChain.approve(2n * FIVE);
    const here = await exchange.newMarket('Does a fill remove its order?');
    const bid = orderParams('buy', { market: here.id, size: '1' });
    const bids = [];
    for (let count = 0; count < 10; count++) bids.push(await exchange.client.order(lea.account, bid));
    const asks = Array.from({ length: 6 }, () => ({ ...bid, side: 'sell' as const }));
    for (const ask of asks) expect(await exchange.client.order(kim.account, ask)).toMatchObject({ matches: 1 });
    await exchange.settled();
    const statuses = await Promise.all(bids.map(async (order) => (await statusOf(order)).status));
    expect(statuses).toEqual([...Array(6).fill('filled'), ...Array(4).fill('open')]);
    expect(await balancesOf(lea)).toMatchObject({ reserved: '2004000', balance: '7002000' });
  });
});

describe('a wallet that loses its cover', () => {
  it('loses its newest orders until the rest is covered, and gets new ones when it is funded again', async () => {
    const max = await visitor('max');
    await max.onChain.fund(3n * FIVE);
    await max.onChain.approve(UNLIMITED);
    const orders = [];
    for (const price of ['0.5', '0.5', '0.5'])
      orders.push(await exchange.client.order(max.account, orderParams('buy', { price })));
    const [oldest, middle, newest] = orders as [OrderAnswerBody, OrderAnswerBody, OrderAnswerBody];
    await max.onChain.send(elsewhere, FIVE + 1n);
    await expectUncovered(middle);
    await expectUncovered(newest);
    expect(await statusOf(oldest)).toMatchObject({ status: 'open' });
    await max.onChain.fund(FIVE + 1n);
    await exchange.client.order(max.account, orderParams('buy'));
    expect(await balancesOf(max)).toMatchObject({ reserved: '10002000' });
  });

  it('loses them too when it takes its allowance back', async () => {
    const ned = await visitor('ned');
    await ned.onChain.fund(FIVE);
    await ned.onChain.approve(UNLIMITED);
    const order = await exchange.client.order(ned.account, orderParams('buy'));
    await ned.onChain.approve(0n);
    await expectUncovered(order);
    await ned.onChain.approve(UNLIMITED);
    await exchange.client.order(ned.account, orderParams('buy'));
  });
});

describe('a chain that turns back', () => {
  it('costs no order that is covered again, and the wallets are watched as before', async () => {
    const quy = await visitor('quy');
    await quy.onChain.fund(2n * FIVE);
    await quy.onChain.approve(UNLIMITED);
    const older = await exchange.client.order(quy.account, orderParams('buy'));
    const newer = await exchange.client.order(quy.account, orderParams('buy'));
    expect(await exchange.client.post('/sandbox/faults', { reorgDepth: 3 })).toMatchObject({ status: 200 });
    await waitFor(
      'the money is there again',
      async () => (await exchange.chain.money(quy.account.address)) === 2n * FIVE,
    );
    await quy.onChain.send(elsewhere, 1n);
    await expectUncovered(newer);
    expect(await statusOf(older)).toMatchObject({ status: 'open' });
  });
});

describe('after a restart', () => {
  it('switched off nothing is asked; switched on again the uncovered go, and what is reserved stays so', async () => {
    const oli = await visitor('oli');
    await oli.onChain.fund(FIVE);
    await oli.onChain.approve(UNLIMITED);
    const covered = await exchange.client.order(oli.account, orderParams('buy'));
    await exchange.sandbox.stop();

    exchange = await exchange.reopen({ env: { ...ENV, PRESAGE_COLLATERAL_CHECK: 'off' } });
    const beyond = await exchange.client.order(oli.account, orderParams('buy', { price: '0.3' }));
    expect(await fundsOf(oli, orderParams('buy'))).toMatchObject({
      funds: { reserved: '8002000', balance: '5001000', covered: false },
      errors: [],
    });
    await exchange.sandbox.stop();

    exchange = await exchange.reopen({ env: ENV });
    await expectUncovered(beyond);
    expect(await statusOf(covered)).toMatchObject({ status: 'open' });
    expect(await refusal(oli, orderParams('buy'))).toMatchObject({ details: { reserved: '5001000', available: '0' } });
  });
});
