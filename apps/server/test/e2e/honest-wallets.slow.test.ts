// Wallets with their own money, where cover is enforced: claims in a row, permits in a row, and balances that count a fill once.
import { type OrderAnswerBody, waitFor, walletOf } from '@presage/testkit';
import type { Hex } from 'viem';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { fundAndApprove, OnChainWallet } from './approvals.ts';
import { Exchange } from './exchange.ts';
import { RelayedWallet, UNLIMITED } from './relayed-wallet.ts';
import type { ErrorReply, MarketBody } from './wire.ts';

const maker = walletOf('honest maker');
let exchange: Exchange;
let market: MarketBody;

beforeAll(async () => {
  exchange = await Exchange.open({ env: { PRESAGE_SANDBOX_AUTOFUND: 'off', PRESAGE_COLLATERAL_CHECK: 'enforce' } });
  market = await exchange.newMarket('Is an honest wallet taken for one?');
  await fundAndApprove(exchange, maker);
});
afterAll(() => exchange?.close());

async function newcomer(name: string, amount: bigint): Promise<RelayedWallet> {
  const account = walletOf(`honest ${name}`);
  await exchange.client.post('/sandbox/fund', { address: account.address, amount });
  return RelayedWallet.open(exchange, account);
}

interface PermitParams {
  readonly value: bigint;
  readonly nonce: bigint;
  readonly size?: string;
}

/** A purchase at 0.50 with its own permit. */
async function purchase(wallet: RelayedWallet, { value, nonce, size = '10' }: PermitParams): Promise<object> {
  const params = { market: market.id, side: 'buy', price: '0.5', size } as const;
  const submission = await exchange.client.signOrder(wallet.account, params);
  const signed = (await wallet.permit(wallet.chain.settlement.address, value, { nonce })) as Record<string, unknown>;
  const { deadline, v, r, s } = signed;
  return { ...submission, permitSignature: { nonce, value: value.toString(), deadline: Number(deadline), v, r, s } };
}

interface Balances {
  readonly balance: string;
  readonly reserved: string;
  readonly available: string;
}

function balancesOf(address: Hex): Promise<Balances> {
  return exchange.client.read(`/api/v1/users/${address}/balances?chain_id=31337`);
}

describe('a permit', () => {
  it('for exactly what the order costs is taken, and settles', async () => {
    const ann = await newcomer('exact', 100_000_000n);
    const body = await purchase(ann, { value: 5_000_000n, nonce: 0n });
    const placed = await exchange.client.post<OrderAnswerBody>('/api/v1/orders', body);
    expect(placed).toMatchObject({ status: 200, body: { orderStatus: 'open' } });
    await exchange.client.order(maker, { market: market.id, side: 'sell', price: '0.5', size: '10' });
    await exchange.settled();
    expect(await exchange.chain.shares(market, ann.address)).toEqual({ yes: 10_000_000n, no: 0n });
  });

  it('for one unit less is refused with the reason', async () => {
    const bea = await newcomer('short', 100_000_000n);
    const body = await purchase(bea, { value: 4_999_999n, nonce: 0n });
    const refused = await exchange.client.post<ErrorReply>('/api/v1/orders', body);
    expect(refused).toMatchObject({ status: 400, body: { code: 'invalid_permit' } });
    expect(refused.body.error).toMatch(/^permitSignature is not valid: the value does not cover/);
  });

  it('may follow another inside one batch', async () => {
    const cat = await newcomer('batch', 100_000_000n);
    const orders = [
      await purchase(cat, { value: 5_000_000n, nonce: 0n }),
      await purchase(cat, { value: 10_000_000n, nonce: 1n }),
      await purchase(cat, { value: 15_000_000n, nonce: 2n }),
      await purchase(cat, { value: 20_000_000n, nonce: 7n }),
    ];
    const { body } = await exchange.client.post<{ results: (OrderAnswerBody & ErrorReply)[] }>('/api/v1/orders/batch', {
      orders,
    });
    expect(body.results.map(({ status, code }) => status ?? code)).toEqual([
      'accepted',
      'accepted',
      'accepted',
      'invalid_permit',
    ]);
    await exchange.client.order(maker, { market: market.id, side: 'sell', price: '0.5', size: '30' });
    await exchange.settled();
    expect(await exchange.chain.shares(market, cat.address)).toEqual({ yes: 30_000_000n, no: 0n });
    expect(await exchange.client.read('/api/v1/failed-trades')).toMatchObject({ count: 0 });
  });
});

describe('balances', () => {
  it('count a fill once at every moment: reserved until the balance has it, and never both', async () => {
    const dee = await newcomer('counted', 100_000_000n);
    await (await OnChainWallet.open(exchange, dee)).approve(UNLIMITED);
    for (let round = 1; round <= 3; round++) {
      await exchange.client.order(maker, { market: market.id, side: 'sell', price: '0.5', size: '10' });
      await exchange.client.order(dee.account, { market: market.id, side: 'buy', price: '0.5', size: '10' });
      let isPending = true;
      while (isPending) {
        isPending = (await exchange.pending()).length > 0;
        expect(await balancesOf(dee.address)).toMatchObject({ available: `${100_000_000 - round * 5_000_000}` });
      }
    }
  });
});

describe('a fill that the chain has and the service has not seen', () => {
  interface Moment {
    readonly wallet: RelayedWallet;
    readonly market: MarketBody;
    readonly txHash: string;
  }

  /** Every answer about the fill, as if it were settled: money, shares, cost, volume and price. */
  async function expectAgreement({ wallet, market, txHash }: Moment): Promise<void> {
    const ask = <T>(path: string) => exchange.client.read<T>(path);
    const [balances, figures, position, user, settlement, { totalHolders }, [trade]] = await Promise.all([
      balancesOf(wallet.address),
      ask<object>(`/api/v1/stats/${market.id}`),
      exchange.position(market.id, wallet),
      ask<object>(`/api/v1/user-stats?address=${wallet.address}`),
      ask<object>(`/api/v1/settlements/${txHash}`),
      ask<{ totalHolders: number }>(`/api/v1/holders/${market.id}`),
      exchange.trades(market.id),
    ]);
    expect(balances.available).toBe('95000000');
    expect(figures).toMatchObject({ totalVolume: 5_000_000, volume24h: 5_000_000, lastPrice: 500_000 });
    expect(position).toMatchObject({ yesShares: 10_000_000, noShares: 0, yesCost: 5_000_000 });
    expect(user).toMatchObject({ total_invested: 5_000_000, position_value: 5_000_000, pnl: 0 });
    const fill = { fillPrice: 500_000, fillSize: 10_000_000 };
    expect(settlement).toMatchObject({ found: true, ...fill, fills: [fill] });
    expect(totalHolders).toBe(2);
    expect(trade).toMatchObject({ price: 500_000, size: 10_000_000, cost: 5_000_000 });
  }

  it('is in every answer once: before it is mined, before that is known, and after', async () => {
    onTestFinished(() => exchange.chain.setFaults({ mining: 'auto', chain: 'up' }));
    const wallet = await newcomer('moment', 100_000_000n);
    await (await OnChainWallet.open(exchange, wallet)).approve(UNLIMITED);
    const market = await exchange.newMarket('Do all answers agree at every moment?');
    await exchange.chain.setFaults({ mining: 'held' });
    const terms = { market: market.id, price: '0.5', size: '10' } as const;
    await exchange.client.order(maker, { ...terms, side: 'sell' });
    await exchange.client.order(wallet.account, { ...terms, side: 'buy' });
    const txHash = await waitFor('the fill is sent', async () => (await exchange.pending())[0]?.txHash || undefined);
    const moment = { wallet, market, txHash };
    await expectAgreement(moment);
    await exchange.chain.setFaults({ chain: 'slow', slowMs: 1_000 });
    await exchange.chain.mine();
    const stages: string[] = [];
    for (let pending = await exchange.pending(); pending.length > 0; pending = await exchange.pending()) {
      stages.push(pending[0]!.stage);
      await expectAgreement(moment);
    }
    expect(stages[0], 'the service saw the block before it was asked').toBe('submitted');
    await expectAgreement(moment);
    await exchange.chain.setFaults({ mining: 'auto', chain: 'up' });
    expect(await exchange.chain.money(wallet.address)).toBe(95_000_000n);
    expect(await exchange.chain.shares(market, wallet.address)).toEqual({ yes: 10_000_000n, no: 0n });
  });
});

describe('claims', () => {
  it('follow each other at once: claim-data counts the one in flight', async () => {
    const eve = await newcomer('claims', 20_000_000n);
    const markets = [await exchange.newMarket('First claim?', 3_600), await exchange.newMarket('Second claim?', 3_600)];
    const onChain = await OnChainWallet.open(exchange, eve);
    for (const each of markets) await onChain.split(each, 5_000_000n);
    await exchange.travel(3_601);
    for (const each of markets) await eve.relayed('propose-resolution', await eve.proposal(each, true));
    await exchange.travel(7_300);
    for (const each of markets) {
      await waitFor('the market is resolved', async () => {
        return (await exchange.client.read<MarketBody>(`/api/v1/markets/${each.id}`)).resolved;
      });
    }
    const nonces: bigint[] = [];
    const hashes: Hex[] = [];
    const tokens = eve.chain.conditionalTokens.address;
    onTestFinished(() => exchange.chain.setFaults({ mining: 'auto' }));
    for (const each of markets) {
      const path = `/api/v1/users/${eve.address}/claim-data?chain_id=31337&markets=${each.id}`;
      const [entry] = (await exchange.client.read<{ markets: { ctf_nonce: number }[] }>(path)).markets;
      nonces.push(BigInt(entry!.ctf_nonce));
      expect(await eve.nonceAt(tokens), 'every nonce that is served is the same').toBe(nonces.at(-1));
      // Nothing is mined: the second nonce knows of the first claim only because it is in flight.
      await exchange.chain.setFaults({ mining: hashes.length === 0 ? 'held' : 'auto' });
      hashes.push(await eve.relayed('ctf-redemption', await eve.redemption(each, { nonce: nonces.at(-1)! })));
    }
    expect(nonces[1]).toBe(nonces[0]! + 1n);
    expect(new Set(hashes).size).toBe(2);
    await waitFor('both are paid', async () => (await exchange.chain.money(eve.address)) === 20_000_000n);
  });
});
