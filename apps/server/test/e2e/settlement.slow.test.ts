// From a signed order over HTTP to a confirmed trade, and whether every share is backed: the real service, chain and database.
import { PendingTrade, Position, SettlementFound, Trade } from '@presage/protocol';
import { waitFor, walletOf } from '@presage/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Exchange } from './exchange.ts';
import { expectShape, type LifeEvent, type MarketBody, type SettlementBody } from './wire.ts';

interface SolvencyBody {
  readonly chains: readonly { collateral: number | null; locked: number; drift: number | null; bonds: number | null }[];
  readonly markets: readonly { marketId: string; yesShares: number; noShares: number; locked: number }[];
}

let exchange: Exchange;

beforeAll(async () => {
  exchange = await Exchange.open();
});
afterAll(() => exchange?.close());

async function expectPositionsOnChain(market: MarketBody, wallets: readonly { readonly address: `0x${string}` }[]) {
  for (const wallet of wallets) {
    const { reported, onChain } = await exchange.sharesBothWays(market, wallet);
    expect(reported, wallet.address).toEqual(onChain);
  }
}

/** Before any other trade: what is locked is the sum of all. */
describe('the report of what backs every share', () => {
  const solvency = () => exchange.client.read<SolvencyBody>('/api/v1/solvency');

  it('says that nothing is locked before the first trade', async () => {
    expect(await solvency()).toMatchObject({
      chains: [{ chain_id: 31_337, markets: 0, locked: 0, collateral: 0, drift: 0, bonds: 0, unsettled_trades: 0 }],
      markets: [],
    });
  });

  it('has one unit of stablecoin on chain for each pair of shares, when all is settled', async () => {
    const [busy, quiet] = [await exchange.newMarket('Is it backed?'), await exchange.newMarket('Is this backed too?')];
    for (const [market, size] of [
      [busy, '7'],
      [quiet, '3'],
    ] as const) {
      await exchange.client.order(walletOf('minting seller'), { market: market.id, side: 'sell', price: '0.60', size });
      await exchange.client.order(walletOf('buyer'), { market: market.id, side: 'buy', price: '0.60', size });
    }
    await exchange.settled();
    const { chains, markets } = await solvency();
    expect(chains).toMatchObject([{ markets: 2, locked: 10_000_000, collateral: 10_000_000, drift: 0, bonds: 0 }]);
    expect(markets).toEqual([
      { marketId: busy.id, yesShares: 7_000_000, noShares: 7_000_000, locked: 7_000_000 },
      { marketId: quiet.id, yesShares: 3_000_000, noShares: 3_000_000, locked: 3_000_000 },
    ]);
    expect((await exchange.client.read<SolvencyBody>('/api/v1/solvency?limit=1')).markets).toHaveLength(1);
    expect(await exchange.client.read('/api/v1/solvency?chain_id=5')).toEqual({ chains: [], markets: [] });
  });

  it('says what it cannot know while the chain is unreachable', async () => {
    await exchange.client.post('/sandbox/faults', { chain: 'down' });
    expect(await solvency()).toMatchObject({
      chains: [{ locked: 10_000_000, collateral: null, drift: null, bonds: null }],
    });
    await exchange.client.post('/sandbox/faults', { chain: 'up' });
  });
});

describe('a trade between brand-new wallets', () => {
  const [ann, ben] = [walletOf('settlement ann'), walletOf('settlement ben')];
  let market: MarketBody;
  let hashes: { readonly maker: string; readonly taker: string };

  beforeAll(async () => {
    market = await exchange.newMarket('Do two strangers trade?');
  });

  it('is matched in the answer to the second order', async () => {
    const maker = await exchange.client.order(ann, { market: market.id, side: 'sell', price: '0.6', size: '10' });
    expect(maker).toMatchObject({ status: 'accepted', matches: 0, orderStatus: 'open', remainingSize: 10_000_000 });
    const taker = await exchange.client.order(ben, { market: market.id, side: 'buy', price: '0.65', size: '10' });
    expect(taker).toMatchObject({ status: 'accepted', matches: 1, orderStatus: 'filled', filledSize: 10_000_000 });
    expect(taker.trades).toEqual([
      { id: expect.any(Number), tradeId: expect.any(String), price: 600_000, size: 10_000_000 },
    ]);
    hashes = { maker: maker.orderHash, taker: taker.orderHash };
  });

  it('is confirmed, with the transaction that carried it', async () => {
    const trade = await waitFor('the trade is confirmed', async () => {
      const [only] = await exchange.trades(market.id);
      return only?.status === 'confirmed' && only;
    });
    expectShape(trade, Trade);
    expect(trade).toMatchObject({ price: 600_000, size: 10_000_000, cost: 6_000_000, outcome: 0, side: 0 });
    expect(trade).toMatchObject({ buyer: ben.address, seller: ann.address, maker: ann.address, taker: ben.address });
    expect(trade.txHash).toMatch(/^0x[0-9a-f]{64}$/);
    const settlement = await exchange.client.read<SettlementBody>(`/api/v1/settlements/${trade.txHash}`);
    expectShape(settlement, SettlementFound);
    expect(settlement).toMatchObject({ found: true, status: 'confirmed', txHash: trade.txHash, marketId: market.id });
    expect(settlement.fills).toMatchObject([{ tradeId: trade.tradeId, status: 'confirmed', error: null }]);
    expect(settlement.confirmations).toBeGreaterThanOrEqual(1);
    const upper = `0x${trade.txHash.slice(2).toUpperCase()}`;
    expect(await exchange.client.read(`/api/v1/settlements/${upper}`)).toMatchObject({ found: true });
  });

  it('leaves both wallets with what the chain says: the seller minted and holds the other side', async () => {
    expect(await exchange.chain.shares(market, ben.address)).toEqual({ yes: 10_000_000n, no: 0n });
    expect(await exchange.chain.shares(market, ann.address)).toEqual({ yes: 0n, no: 10_000_000n });
    await expectPositionsOnChain(market, [ann, ben]);
    const bought = await exchange.position(market.id, ben);
    expectShape(bought, Position);
    expect(bought).toMatchObject({ yesCost: 6_000_000, noCost: 0, totalInvested: 6_000_000, userAddress: ben.address });
    // Four paid in beside the six received, for ten shares of the other side.
    expect(await exchange.position(market.id, ann)).toMatchObject({ noCost: 4_000_000, totalInvested: 4_000_000 });
    expect(await exchange.position(market.contractAddress, ben)).toEqual(bought);
  });

  it('is in the lives of both orders, from acceptance to confirmation', async () => {
    for (const hash of [hashes.maker, hashes.taker]) {
      const life = await exchange.client.read<{ orderHash: string; events: LifeEvent[]; count: number }>(
        `/api/v1/orders/${hash}/events`,
      );
      expect(life).toMatchObject({ orderHash: hash, count: life.events.length });
      expect(life.events.map(({ type }) => type)).toEqual(['accepted', 'filled', 'submitted', 'mined', 'confirmed']);
      expect(life.events.at(-1)).toMatchObject({ txHash: expect.stringMatching(/^0x[0-9a-f]{64}$/) });
    }
  });

  it('counts on chain as filled, for each order under its own nonce', async () => {
    for (const hash of [hashes.maker, hashes.taker]) {
      const order = await exchange.client.read<{ trader: `0x${string}`; marketId: `0x${string}`; nonce: bigint }>(
        `/api/v1/orders/${hash}`,
      );
      expect(order.nonce).toBeGreaterThan(2n ** 53n);
      expect(await exchange.chain.filled(order)).toBe(10_000_000n);
    }
  });
});

describe('trades that lean on each other', () => {
  it('settle when shares are sold on before the purchase has settled', async () => {
    const [ann, ben, cas] = [walletOf('chain of sales a'), walletOf('chain of sales b'), walletOf('chain of sales c')];
    const market = await exchange.newMarket('Can shares be sold on at once?');
    const [buy, sell] = [
      { market: market.id, side: 'buy' },
      { market: market.id, side: 'sell' },
    ] as const;
    await exchange.client.order(ann, { ...sell, price: '0.6', size: '10' });
    await exchange.client.order(ben, { ...buy, price: '0.6', size: '10' });
    await exchange.client.order(ben, { ...sell, price: '0.7', size: '4' });
    expect(await exchange.client.order(cas, { ...buy, price: '0.7', size: '4' })).toMatchObject({ matches: 1 });
    expect(await exchange.position(market.id, ben)).toMatchObject({ yesShares: 6_000_000, noShares: 0 });
    await exchange.settled();
    expect((await exchange.trades(market.id)).map(({ status }) => status)).toEqual(['confirmed', 'confirmed']);
    expect(await exchange.chain.shares(market, ben.address)).toEqual({ yes: 6_000_000n, no: 0n });
    expect(await exchange.chain.shares(market, cas.address)).toEqual({ yes: 4_000_000n, no: 0n });
    await expectPositionsOnChain(market, [ann, ben, cas]);
    // Four of ten shares that cost six: 2.4 left the basis, 2.8 came in.
    expect(await exchange.position(market.id, ben)).toMatchObject({ yesCost: 3_600_000, realizedPnl: 400_000 });
  });

  it('settle when one order sweeps several, each at the price of the resting order', async () => {
    const market = await exchange.newMarket('Does a sweep settle whole?');
    const makers = [0, 1, 2].map((index) => walletOf(`sweep maker ${index}`));
    const taker = walletOf('sweep taker');
    const prices = ['0.31', '0.3', '0.32'];
    for (const [index, maker] of makers.entries()) {
      const params = { market: market.id, side: 'sell', outcome: 'NO', price: prices[index]!, size: '2.5' } as const;
      await exchange.client.order(maker, params);
    }
    const params = { market: market.id, side: 'buy', outcome: 'NO', price: '0.32', size: '7' } as const;
    const answer = await exchange.client.order(taker, params);
    expect(answer.matches).toBe(3);
    expect(answer.trades.map(({ price, size }) => [price, size])).toEqual([
      [300_000, 2_500_000],
      [310_000, 2_500_000],
      [320_000, 2_000_000],
    ]);
    await exchange.settled();
    await expectPositionsOnChain(market, [...makers, taker]);
    expect(await exchange.chain.shares(market, taker.address)).toEqual({ yes: 0n, no: 7_000_000n });
    expect(await exchange.chain.shares(market, makers[2]!.address)).toEqual({ yes: 2_000_000n, no: 0n });
  });

  it('settle when holders sell more than they hold: the shares first, the rest minted', async () => {
    const market = await exchange.newMarket('Can more be sold than is held?');
    const [ann, ben, cas] = [walletOf('oversold a'), walletOf('oversold b'), walletOf('oversold c')];
    await exchange.client.order(ann, { market: market.id, side: 'sell', price: '0.5', size: '3' });
    await exchange.client.order(ben, { market: market.id, side: 'buy', price: '0.5', size: '3' });
    await exchange.client.order(ben, { market: market.id, side: 'sell', price: '0.55', size: '5' });
    await exchange.client.order(cas, { market: market.id, side: 'buy', price: '0.55', size: '5' });
    await exchange.settled();
    expect(await exchange.chain.shares(market, ben.address)).toEqual({ yes: 0n, no: 2_000_000n });
    expect(await exchange.chain.shares(market, cas.address)).toEqual({ yes: 5_000_000n, no: 0n });
    await expectPositionsOnChain(market, [ann, ben, cas]);
  });

  it('settle when a wallet trades with itself', async () => {
    const market = await exchange.newMarket('Can a wallet trade with itself?');
    const ann = walletOf('self trader');
    await exchange.client.order(ann, { market: market.id, side: 'sell', price: '0.4', size: '3' });
    const answer = await exchange.client.order(ann, { market: market.id, side: 'buy', price: '0.4', size: '3' });
    expect(answer.matches).toBe(1);
    await exchange.settled();
    expect((await exchange.trades(market.id)).map(({ status }) => status)).toEqual(['confirmed']);
    expect(await exchange.chain.shares(market, ann.address)).toEqual({ yes: 3_000_000n, no: 3_000_000n });
    await expectPositionsOnChain(market, [ann]);
  });

  it('settle to the last unit when the cost is rounded up', async () => {
    const market = await exchange.newMarket('Is a single unit settled?');
    const [ann, ben] = [walletOf('dust a'), walletOf('dust b')];
    await exchange.client.order(ann, { market: market.id, side: 'sell', price: '0.333333', size: '0.000001' });
    await exchange.client.order(ben, { market: market.id, side: 'buy', price: '0.333333', size: '0.000001' });
    await exchange.settled();
    expect(await exchange.trades(market.id)).toMatchObject([{ cost: 1, size: 1, status: 'confirmed' }]);
    await expectPositionsOnChain(market, [ann, ben]);
  });
});

describe('on the way to the chain', () => {
  it('a trade is listed as pending until it is confirmed', async () => {
    const market = await exchange.newMarket('Is a pending trade listed?');
    const [ann, ben] = [walletOf('pending a'), walletOf('pending b')];
    await exchange.client.post('/sandbox/faults', { chain: 'down' });
    await exchange.client.order(ann, { market: market.id, side: 'sell', price: '0.5', size: '1' });
    const { trades } = await exchange.client.order(ben, { market: market.id, side: 'buy', price: '0.5', size: '1' });
    const [pending] = await exchange.pending();
    expectShape(pending, PendingTrade);
    expect(pending).toMatchObject({ tradeId: trades[0]?.tradeId, txHash: '', stage: 'matched', fillSize: 1_000_000 });
    expect(pending).toMatchObject({ buyerAddress: ben.address, sellerAddress: ann.address, fillPrice: 500_000 });
    await exchange.client.post('/sandbox/faults', { chain: 'up' });
    await exchange.settled();
    expect(await exchange.trades(market.id)).toMatchObject([{ status: 'confirmed', stage: 'confirmed' }]);
  });

  it('a sync reads the wallet from the chain and leaves a true position as it was', async () => {
    const market = await exchange.newMarket('Does a sync change anything?');
    const [ann, ben] = [walletOf('sync a'), walletOf('sync b')];
    await exchange.client.order(ann, { market: market.id, side: 'sell', price: '0.5', size: '2' });
    await exchange.client.order(ben, { market: market.id, side: 'buy', price: '0.5', size: '2' });
    await exchange.settled();
    const before = await exchange.position(market.id, ben);
    const path = `/api/v1/positions/${market.id}/sync`;
    const synced = await exchange.client.post(path, { userAddress: ben.address });
    expect(synced).toMatchObject({ status: 200, body: { success: true, yesShares: 2_000_000, noShares: 0 } });
    expect(synced.body).toMatchObject({ marketId: market.id, userAddress: ben.address });
    const byQuery = await exchange.client.send('POST', `${path}?userAddress=${ben.address}`);
    expect(byQuery).toMatchObject({ status: 200, body: { yesShares: 2_000_000 } });
    const after = await exchange.position(market.id, ben);
    expect({ ...after, lastUpdated: 0 }).toEqual({ ...before, lastUpdated: 0 });
  });
});

describe('what is not there', () => {
  it('is answered with exactly {found: false} for a transaction', async () => {
    for (const name of [`0x${'ab'.repeat(32)}`, 'nonsense', '0x12', '%20']) {
      expect(await exchange.client.get(`/api/v1/settlements/${name}`)).toMatchObject({
        status: 200,
        body: { found: false },
      });
      expect(Object.keys(await exchange.client.read<object>(`/api/v1/settlements/${name}`))).toEqual(['found']);
    }
  });

  it('is answered with exactly two zeros for a position', async () => {
    const nobody = walletOf('nobody');
    const market = await exchange.newMarket('Does nobody hold anything?');
    for (const id of [market.id, market.contractAddress, `0x${'00'.repeat(32)}`, `0x${'00'.repeat(20)}`]) {
      expect(await exchange.position(id, nobody)).toEqual({ yesShares: 0, noShares: 0 });
    }
    const path = `/api/v1/users/${nobody.address}/positions?chain_id=31337`;
    expect(await exchange.client.read(path)).toEqual({ positions: [], count: 0 });
  });
});
