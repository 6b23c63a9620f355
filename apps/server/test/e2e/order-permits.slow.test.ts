// Orders with their own permit: checked before acceptance, relayed before their fills settle, harmless when somebody else is first.
import { testStablecoinAbi } from '@presage/contracts';
import { type OrderAnswerBody, waitFor, walletOf } from '@presage/testkit';
import { encodeFunctionData, type Hex } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fundAndApprove } from './approvals.ts';
import { Exchange } from './exchange.ts';
import { RelayedWallet, UNLIMITED } from './relayed-wallet.ts';
import type { ErrorReply, LifeEvent, MarketBody } from './wire.ts';

const maker = walletOf('permit maker');
let exchange: Exchange;
let market: MarketBody;

beforeAll(async () => {
  exchange = await Exchange.open({ env: { PRESAGE_SANDBOX_AUTOFUND: 'off', PRESAGE_COLLATERAL_CHECK: 'off' } });
  market = await exchange.newMarket('Does an order carry its permit?');
  await fundAndApprove(exchange, maker);
});
afterAll(() => exchange?.close());

interface PermitParams {
  readonly value: bigint;
  readonly nonce: bigint;
  readonly deadline?: number;
}

type Signed = Record<'deadline' | 'r' | 's', Hex> & { readonly v: number };

async function newcomer(name: string): Promise<RelayedWallet> {
  const account = walletOf(`permitted ${name}`);
  await exchange.client.post('/sandbox/fund', { address: account.address, amount: 100_000_000 });
  return RelayedWallet.open(exchange, account);
}

async function permitOf(wallet: RelayedWallet, { value, nonce, deadline }: PermitParams): Promise<Signed & object> {
  const { settlement } = wallet.chain;
  const params = deadline === undefined ? { nonce } : { nonce, deadline };
  return (await wallet.permit(settlement.address, value, params)) as Signed;
}

async function purchaseOf(wallet: RelayedWallet, params: PermitParams, spoil: Partial<Signed> = {}) {
  const submission = await exchange.client.signOrder(wallet.account, {
    market: market.id,
    side: 'buy',
    price: '0.5',
    size: '10',
  });
  const { deadline, v, r, s } = { ...(await permitOf(wallet, params)), ...spoil };
  const permitSignature = { nonce: params.nonce, value: params.value.toString(), deadline: Number(deadline), v, r, s };
  return { ...submission, permitSignature };
}

async function buy(...purchase: Parameters<typeof purchaseOf>) {
  return exchange.client.post<OrderAnswerBody & ErrorReply>('/api/v1/orders', await purchaseOf(...purchase));
}

function sell(size: string): Promise<OrderAnswerBody> {
  return exchange.client.order(maker, { market: market.id, side: 'sell', price: '0.5', size });
}

async function permitEvents(orderHash: Hex): Promise<LifeEvent[]> {
  const { events } = await exchange.client.read<{ events: LifeEvent[] }>(`/api/v1/orders/${orderHash}/events`);
  return events.filter(({ type }) => type === 'permit');
}

function permitEnd(orderHash: Hex): Promise<LifeEvent> {
  return waitFor('the permit has come to its end', async () => {
    return (await permitEvents(orderHash)).find(({ status }) => status !== 'submitted');
  });
}

describe('an order with a permit', () => {
  it('is settled by the permit alone: the wallet never approved anything', async () => {
    const ann = await newcomer('first');
    await sell('10');
    const { status, body } = await buy(ann, { value: 5_001_000n, nonce: 0n });
    expect(status).toBe(200);
    expect(body).toMatchObject({ matches: 1, orderStatus: 'filled' });
    await exchange.settled();
    expect(await exchange.chain.shares(market, ann.address)).toEqual({ yes: 10_000_000n, no: 0n });
    expect(await permitEnd(body.orderHash)).toMatchObject({ type: 'permit', status: 'confirmed', reason: null });
    expect(await exchange.client.read('/api/v1/failed-trades')).toMatchObject({ count: 0 });
  });

  it('may follow another of the same wallet: nonces are used in their order, each covering all that is open', async () => {
    const ann = await newcomer('two');
    const first = await buy(ann, { value: 5_001_000n, nonce: 0n });
    const { now } = await exchange.client.read<{ now: number }>('/api/v1/time');
    const next = { value: 10_002_000n, nonce: 1n, deadline: now + 3_000 };
    // Some wallets write the parity alone.
    const { v } = await permitOf(ann, next);
    const second = await buy(ann, next, { v: v - 27 });
    expect([first.status, second.status]).toEqual([200, 200]);
    await sell('20');
    await exchange.settled();
    expect(await exchange.chain.shares(market, ann.address)).toEqual({ yes: 20_000_000n, no: 0n });
    expect(await ann.nonceAt(ann.chain.stablecoin.address)).toBe(2n);
  });

  it('may follow another of the same batch, whose permit is not sent yet', async () => {
    const ann = await newcomer('batch');
    const orders = [
      await purchaseOf(ann, { value: 5_001_000n, nonce: 0n }),
      await purchaseOf(ann, { value: 10_002_000n, nonce: 1n }),
      await purchaseOf(ann, { value: 15_003_000n, nonce: 0n }),
    ];
    const { body } = await exchange.client.post<{ results: OrderAnswerBody[] }>('/api/v1/orders/batch', { orders });
    const repeated = { code: 'invalid_permit', details: { reason: 'the nonce is not the next one', nonce: '2' } };
    expect(body.results).toMatchObject([{ status: 'accepted' }, { status: 'accepted' }, repeated]);
    await sell('20');
    await exchange.settled();
    expect(await exchange.chain.shares(market, ann.address)).toEqual({ yes: 20_000_000n, no: 0n });
  });

  it('is refused when the permit does not hold and the allowance is too little', async () => {
    const ann = await newcomer('bad');
    const good = { value: UNLIMITED, nonce: 0n };
    const table: [PermitParams, Partial<Signed>, RegExp][] = [
      [{ ...good, value: 4_999_999n }, {}, /does not cover/],
      [{ ...good, deadline: 1_000 }, {}, /deadline/],
      [{ ...good, nonce: 5n }, {}, /nonce/],
      [good, { r: `0x${'11'.repeat(32)}` as Hex }, /signature/],
    ];
    for (const [params, spoil, reason] of table) {
      const { status, body } = await buy(ann, params, spoil);
      expect({ status, code: body.code }).toEqual({ status: 400, code: 'invalid_permit' });
      expect(body.details).toMatchObject({ reason: expect.stringMatching(reason), required: '5000000', nonce: '0' });
    }
    expect(await exchange.client.read(`/api/v1/orders?trader=${ann.address}`)).toMatchObject({ count: 0 });
  });

  it('is accepted with a bad permit that it does not need, and reports that among its events', async () => {
    const ann = await newcomer('enough');
    await fundAndApprove(exchange, ann);
    const bad = await buy(ann, { value: UNLIMITED, nonce: 9n });
    expect(bad.status).toBe(200);
    expect(await permitEnd(bad.body.orderHash)).toMatchObject({ status: 'failed', reason: 'InvalidPermit()' });
    const harmful = await buy(ann, { value: 1n, nonce: 0n });
    expect(await permitEnd(harmful.body.orderHash)).toMatchObject({ status: 'skipped' });
    await sell('20');
    await exchange.settled();
    expect(await exchange.chain.shares(market, ann.address)).toEqual({ yes: 20_000_000n, no: 0n });
  });

  it('settles when somebody else submitted its permit first', async () => {
    const ann = await newcomer('front-run');
    const { settlement, stablecoin } = ann.chain;
    const { now } = await exchange.client.read<{ now: number }>('/api/v1/time');
    const params = { value: 6_000_000n, nonce: 0n, deadline: now + 3_000 };
    const { deadline, v, r, s } = await permitOf(ann, params);
    const args = [ann.address, settlement.address, params.value, BigInt(deadline), v, r, s] as const;
    const data = encodeFunctionData({ abi: testStablecoinAbi, functionName: 'permit', args });
    const theirs = await exchange.chain.sendAs({ from: maker.address, to: stablecoin.address, data });
    const { status, body } = await buy(ann, params);
    expect(status).toBe(200);
    expect(await permitEnd(body.orderHash)).toMatchObject({ status: 'confirmed', txHash: theirs });
    await sell('10');
    await exchange.settled();
    expect(await exchange.chain.shares(market, ann.address)).toEqual({ yes: 10_000_000n, no: 0n });
  });

  it('is relayed after kill -9, and its fill settles then', async () => {
    const ann = await newcomer('killed');
    await sell('10');
    await exchange.client.post('/sandbox/faults', { chain: 'slow' });
    const { status, body } = await buy(ann, { value: 5_001_000n, nonce: 0n });
    expect(status).toBe(200);
    await exchange.sandbox.killGroup();
    exchange = await exchange.reopen({ env: { PRESAGE_SANDBOX_AUTOFUND: 'off', PRESAGE_COLLATERAL_CHECK: 'off' } });
    await exchange.client.post('/sandbox/faults', { chain: 'up' });
    await exchange.settled();
    expect(await exchange.chain.shares(market, ann.address)).toEqual({ yes: 10_000_000n, no: 0n });
    expect(await permitEnd(body.orderHash)).toMatchObject({ status: 'confirmed' });
  });
});
