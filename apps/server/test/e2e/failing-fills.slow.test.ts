// Trades that cannot settle because a trader lacks the means: who is blamed, what is undone, what comes back.
import { FailedTrade } from '@presage/protocol';
import { waitFor, walletOf } from '@presage/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fundAndApprove, OnChainWallet } from './approvals.ts';
import { Exchange } from './exchange.ts';
import {
  type BookBody,
  type ErrorReply,
  expectShape,
  type FailedBody,
  type LifeEvent,
  type MarketBody,
  type OrderBody,
} from './wire.ts';

const [ann, ben, cas] = [walletOf('means ann'), walletOf('means ben'), walletOf('means cas')];
let exchange: Exchange;

beforeAll(async () => {
  exchange = await Exchange.open({ env: { PRESAGE_SANDBOX_AUTOFUND: 'off', PRESAGE_COLLATERAL_CHECK: 'off' } });
  for (const wallet of [ann, ben, cas]) await fundAndApprove(exchange, wallet);
});
afterAll(() => exchange?.close());

function failedOf(market: MarketBody, count: number): Promise<FailedBody[]> {
  return waitFor(`${count} trades failed`, async () => {
    const { failedTrades } = await exchange.client.read<{ failedTrades: FailedBody[] }>('/api/v1/failed-trades');
    const here = failedTrades.filter(({ marketId }) => marketId === market.id);
    return here.length === count && here;
  });
}

function findOrder(hash: string): Promise<OrderBody> {
  return exchange.client.read(`/api/v1/orders/${hash}`);
}

async function lifeOf(hash: string): Promise<LifeEvent[]> {
  return (await exchange.client.read<{ events: LifeEvent[] }>(`/api/v1/orders/${hash}/events`)).events;
}

async function expectUntraded(market: MarketBody): Promise<void> {
  expect(await exchange.trades(market.id)).toEqual([]);
  expect(await exchange.client.read(`/api/v1/markets/${market.id}`)).toMatchObject({
    volume: 0,
    volume24h: 0,
    lastPrice: 0,
    lastYesPrice: 0,
  });
}

describe('a seller without anything', () => {
  const poor = walletOf('means poor seller');
  let market: MarketBody;
  let hashes: { first: string; second: string; blamed: string };

  beforeAll(async () => {
    market = await exchange.newMarket('Does the seller have it?');
    const buy = { market: market.id, side: 'buy', price: '0.6', size: '10' } as const;
    const first = (await exchange.client.order(ben, buy)).orderHash;
    const second = (await exchange.client.order(cas, buy)).orderHash;
    const sale = await exchange.client.order(poor, { ...buy, side: 'sell', size: '15' });
    expect(sale).toMatchObject({ matches: 2, orderStatus: 'filled' });
    hashes = { first, second, blamed: sale.orderHash };
  });

  it('is listed with the failed trades, with the reason and the blame', async () => {
    const failed = await failedOf(market, 2);
    for (const trade of failed) {
      expectShape(trade, FailedTrade);
      expect(trade).toMatchObject({ faultParty: 'seller', sellerAddress: poor.address, stage: 'failed', outcome: 0 });
      expect(trade.reason).toMatch(/seller/);
    }
    expect(failed.map(({ fillSize }) => fillSize).toSorted()).toEqual([10_000_000, 5_000_000]);
    expect(await exchange.pending()).toEqual([]);
  });

  it('leaves no trade, no figure and no position behind', async () => {
    await expectUntraded(market);
    for (const wallet of [ben, cas, poor]) {
      expect(await exchange.position(market.id, wallet)).toMatchObject({ yesShares: 0, noShares: 0 });
      expect(await exchange.chain.shares(market, wallet.address)).toEqual({ yes: 0n, no: 0n });
    }
  });

  it('loses its order, and the orders of the other party are restored', async () => {
    expect(await findOrder(hashes.blamed)).toMatchObject({ status: 'cancelled' });
    const blamed = await lifeOf(hashes.blamed);
    expect(blamed.map(({ type }) => type)).toEqual(['accepted', 'filled', 'filled', 'failed', 'cancelled', 'failed']);
    expect(blamed[4]).toMatchObject({ reason: 'settlement_fault' });
    for (const hash of [hashes.first, hashes.second]) {
      expect(await findOrder(hash)).toMatchObject({ status: 'open', filledSize: 0, remainingSize: 10_000_000 });
      const types = (await lifeOf(hash)).map(({ type }) => type);
      expect(types).toEqual(['accepted', 'filled', 'failed', 'restored']);
    }
    const { bids, asks } = await exchange.client.read<BookBody>(`/api/v1/orderbook/${market.id}?outcome=YES`);
    expect({ bids, asks }).toEqual({ bids: [{ price: 600_000, size: 20_000_000 }], asks: [] });
  });

  it('costs the other party nothing, not even their time priority', async () => {
    const sale = { market: market.id, side: 'sell', price: '0.6', size: '12' } as const;
    expect(await exchange.client.order(ann, sale)).toMatchObject({ matches: 2, filledSize: 12_000_000 });
    expect(await findOrder(hashes.first)).toMatchObject({ status: 'filled', filledSize: 10_000_000 });
    expect(await findOrder(hashes.second)).toMatchObject({ status: 'open', filledSize: 2_000_000 });
    await exchange.settled();
    for (const wallet of [ann, ben, cas]) {
      const { reported, onChain } = await exchange.sharesBothWays(market, wallet);
      expect(reported).toEqual(onChain);
    }
    expect(await exchange.chain.shares(market, ben.address)).toEqual({ yes: 10_000_000n, no: 0n });
    expect(await exchange.client.read(`/api/v1/markets/${market.id}`)).toMatchObject({ volume: 7_200_000 });
  });
});

describe('a buyer without anything', () => {
  const poor = walletOf('means poor buyer');

  it('is blamed, and the seller gets the size back at the old place', async () => {
    const market = await exchange.newMarket('Does the buyer have it?');
    const sell = { market: market.id, side: 'sell', price: '0.3', size: '4' } as const;
    const first = await exchange.client.order(ann, sell);
    const second = await exchange.client.order(cas, sell);
    const purchase = await exchange.client.order(poor, { ...sell, side: 'buy', size: '3' });
    const [failed] = await failedOf(market, 1);
    expect(failed).toMatchObject({
      faultParty: 'buyer',
      buyerAddress: poor.address,
      reason: expect.stringMatching(/buyer/),
    });
    expect(await findOrder(purchase.orderHash)).toMatchObject({ status: 'cancelled' });
    expect(await findOrder(first.orderHash)).toMatchObject({ status: 'open', remainingSize: 4_000_000 });
    await expectUntraded(market);
    await exchange.client.order(ben, { ...sell, side: 'buy' });
    expect(await findOrder(first.orderHash)).toMatchObject({ status: 'filled' });
    expect(await findOrder(second.orderHash)).toMatchObject({ status: 'open', filledSize: 0 });
    await exchange.settled();
    expect(await exchange.chain.shares(market, ben.address)).toEqual({ yes: 4_000_000n, no: 0n });
  });

  it('does not drag down the trades that were matched beside it', async () => {
    const market = await exchange.newMarket('Do the others settle?');
    const sell = { market: market.id, side: 'sell', price: '0.3', size: '4' } as const;
    await exchange.client.order(ann, sell);
    await exchange.client.order(poor, { ...sell, side: 'buy', size: '1' });
    await exchange.client.order(ben, { ...sell, side: 'buy', size: '1' });
    await failedOf(market, 1);
    await exchange.settled();
    expect(await exchange.trades(market.id)).toMatchObject([{ buyer: ben.address, status: 'confirmed' }]);
    expect(await exchange.chain.shares(market, ben.address)).toEqual({ yes: 1_000_000n, no: 0n });
  });

  it('is blamed for an order that was to be filled at once, which does not come back', async () => {
    const market = await exchange.newMarket('Does an IOC come back?');
    const buy = { market: market.id, side: 'buy', price: '0.3', size: '4' } as const;
    const blamed = await exchange.client.order(poor, buy);
    const innocent = await exchange.client.order(ann, { ...buy, side: 'sell', timeInForce: 'IOC' });
    expect(innocent).toMatchObject({ matches: 1, orderStatus: 'filled' });
    await failedOf(market, 1);
    expect(await findOrder(innocent.orderHash)).toMatchObject({ status: 'cancelled', filledSize: 0 });
    expect(await findOrder(blamed.orderHash)).toMatchObject({ status: 'cancelled' });
    const { bids, asks } = await exchange.client.read<BookBody>(`/api/v1/orderbook/${market.id}`);
    expect({ bids, asks }).toEqual({ bids: [], asks: [] });
  });
});

describe('a seller who took back the approval of shares', () => {
  const shy = walletOf('means shy seller');

  it('keeps them: the sale is minted from their money, and their position says so as the chain does', async () => {
    const market = await exchange.newMarket('Does the seller keep them?');
    const terms = { market: market.id, price: '0.4', size: '10' } as const;
    await fundAndApprove(exchange, shy);
    await exchange.client.order(ben, { ...terms, side: 'sell' });
    await exchange.client.order(shy, { ...terms, side: 'buy' });
    await exchange.settled();
    await (await OnChainWallet.open(exchange, shy)).approveShares(false);
    await exchange.client.order(cas, { ...terms, side: 'buy', size: '4' });
    await exchange.client.order(shy, { ...terms, side: 'sell', size: '4' });
    await exchange.settled();
    const { reported, onChain } = await exchange.sharesBothWays(market, shy);
    expect(onChain).toEqual({ yes: 10_000_000n, no: 4_000_000n });
    expect(reported).toEqual(onChain);
    expect(await exchange.position(market.id, shy)).toMatchObject({ totalInvested: 4_000_000 + 2_400_000 });
  });
});

describe('a buyer who takes the allowance back right after a fill that settled', () => {
  const sly = walletOf('means sly buyer');

  it('is sent unsimulated once, in vain, and blamed by the simulation that follows; the seller regains the size', async () => {
    const market = await exchange.newMarket('Is one good fill enough?');
    const terms = { market: market.id, price: '0.4', size: '5' } as const;
    await fundAndApprove(exchange, sly);
    await exchange.client.order(ben, { ...terms, side: 'sell' });
    await exchange.client.order(sly, { ...terms, side: 'buy' });
    await exchange.settled();
    await (await OnChainWallet.open(exchange, sly)).approve(0n);
    const sale = await exchange.client.order(ben, { ...terms, side: 'sell' });
    await exchange.client.order(sly, { ...terms, side: 'buy' });
    const [failed] = await failedOf(market, 1);
    expect(failed).toMatchObject({ faultParty: 'buyer', buyerAddress: sly.address, attempts: 1 });
    expect(failed?.txHash, 'the attempt that was in vain').toMatch(/^0x[0-9a-f]{64}$/);
    expect(await findOrder(sale.orderHash)).toMatchObject({ status: 'open', filledSize: 0, remainingSize: 5_000_000 });
    expect(await exchange.chain.shares(market, sly.address)).toEqual({ yes: 5_000_000n, no: 0n });
    // From here on everybody is simulated again, until they have settled once more.
    await exchange.client.order(sly, { ...terms, side: 'buy', size: '2' });
    const again = (await failedOf(market, 2)).find(({ tradeId }) => tradeId !== failed?.tradeId);
    expect(again).toMatchObject({ faultParty: 'buyer', attempts: 0, txHash: '' });
  });
});

describe('a reduce-only order', () => {
  let market: MarketBody;

  beforeAll(async () => {
    market = await exchange.newMarket('Does it only reduce?');
    const params = { market: market.id, price: '0.5', size: '10' } as const;
    await exchange.client.order(ann, { ...params, side: 'sell' });
    await exchange.client.order(ben, { ...params, side: 'buy' });
    await exchange.settled();
  });

  it('is refused where it would buy, or sell more than the wallet holds', async () => {
    const order = { market: market.id, price: '0.7', size: '10', reduceOnly: true } as const;
    const refused = (available: string, size = '10000000') => ({
      status: 409,
      body: { code: 'would_increase', details: { size, available } },
    });
    expect(await exchange.client.placeOrder(ben, { ...order, side: 'buy' })).toMatchObject(refused('0'));
    expect(await exchange.client.placeOrder(ann, { ...order, side: 'sell' })).toMatchObject(refused('0'));
    const larger = { ...order, side: 'sell', size: '10.000001' } as const;
    expect(await exchange.client.placeOrder(ben, larger)).toMatchObject(refused('10000000', '10000001'));
  });

  it('is refused for shares that another one of its batch sells', async () => {
    const sale = { market: market.id, side: 'sell', price: '0.7', size: '6', reduceOnly: true } as const;
    const orders = await Promise.all([1, 2, 3].map(() => exchange.client.signOrder(ben, sale)));
    const { body } = await exchange.client.post<{ results: ErrorReply[] }>('/api/v1/orders/batch', { orders });
    const refused = body.results.filter(({ code }) => code === 'would_increase');
    expect(refused.map(({ details }) => details)).toEqual(Array(2).fill({ size: '6000000', available: '4000000' }));
    const cancelAll = `/api/v1/orders?trader=${ben.address}&marketId=${market.id}`;
    expect(await exchange.client.delete(cancelAll)).toMatchObject({ body: { count: 1 } });
  });

  it('sells shares that are held', async () => {
    const sale = { market: market.id, side: 'sell', price: '0.5', size: '4', reduceOnly: true } as const;
    await exchange.client.order(ben, sale);
    await exchange.client.order(cas, { ...sale, side: 'buy', reduceOnly: false });
    await exchange.settled();
    expect(await exchange.chain.shares(market, ben.address)).toEqual({ yes: 6_000_000n, no: 0n });
    expect(await exchange.chain.shares(market, cas.address)).toEqual({ yes: 4_000_000n, no: 0n });
  });

  it('ends when the shares have been sold elsewhere, and mints no short', async () => {
    const sale = { market: market.id, side: 'sell', size: '6' } as const;
    const reducing = await exchange.client.order(ben, { ...sale, price: '0.6', reduceOnly: true });
    await exchange.client.order(ben, { ...sale, price: '0.5' });
    await exchange.client.order(cas, { ...sale, side: 'buy', price: '0.5' });
    await exchange.settled();
    const purchase = await exchange.client.order(cas, { ...sale, side: 'buy', price: '0.6' });
    const [failed] = await failedOf(market, 1);
    expect(failed).toMatchObject({ faultParty: 'seller', reason: expect.stringContaining('reduce-only') });
    expect(await exchange.chain.shares(market, ben.address)).toEqual({ yes: 0n, no: 0n });
    expect(await findOrder(reducing.orderHash)).toMatchObject({ status: 'cancelled' });
    expect(await findOrder(purchase.orderHash)).toMatchObject({ status: 'open', remainingSize: 6_000_000 });
  });
});
