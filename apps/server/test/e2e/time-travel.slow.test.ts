// Time travel: the clocks of the service and of the chain move together, and orders and markets expire by them.
import { JsonRpc } from '@presage/chain';
import { waitFor, walletOf } from '@presage/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Exchange } from './exchange.ts';
import type { BookBody, FailedBody, LifeEvent, MarketBody, OrderBody } from './wire.ts';

const HOUR = 3_600;
/** Windows that end and begin would only take time at every journey. */
const ENV = { PRESAGE_QUICK_ASSETS: 'off' };
const [ann, ben] = [walletOf('time ann'), walletOf('time ben')];
let exchange: Exchange;

beforeAll(async () => {
  exchange = await Exchange.open({ env: ENV });
});
afterAll(() => exchange?.close());

async function now(): Promise<number> {
  return (await exchange.client.read<{ now: number }>('/api/v1/time')).now;
}

function travel(advanceSeconds: number) {
  return exchange.client.post<{ now: number; offsetSeconds: number }>('/sandbox/time', { advanceSeconds });
}

function findOrder(hash: string): Promise<OrderBody> {
  return exchange.client.read(`/api/v1/orders/${hash}`);
}

function findMarket(id: string): Promise<MarketBody> {
  return exchange.client.read(`/api/v1/markets/${id}`);
}

describe('after a journey', () => {
  it('the service and the chain agree on the new time', async () => {
    const before = await now();
    const journeys = await Promise.all([travel(HOUR - 1), travel(1)]);
    expect(journeys.map(({ status }) => status)).toEqual([200, 200]);
    expect(Math.max(...journeys.map(({ body }) => body.offsetSeconds))).toBe(HOUR);
    expect(await now()).toBeGreaterThanOrEqual(before + HOUR);
    const { createdAt } = await exchange.newMarket('What time is it?');
    expect(createdAt).toBeGreaterThanOrEqual(before + HOUR);
    expect(createdAt).toBeLessThanOrEqual((await now()) + 1);
  });

  it('an order past its expiration is expired, off the book, and cannot be cancelled', async () => {
    const market = await exchange.newMarket('Does an order expire?');
    const params = { market: market.id, side: 'buy', price: '0.4', size: '2' } as const;
    const expiring = await exchange.client.order(ann, { ...params, expiration: (await now()) + 2 * HOUR });
    const lasting = await exchange.client.order(ann, { ...params, size: '3' });
    await travel(2 * HOUR + 1);
    const expired = await findOrder(expiring.orderHash);
    expect(expired).toMatchObject({ status: 'expired', filledSize: 0, remainingSize: 2_000_000 });
    const { bids } = await exchange.client.read<BookBody>(`/api/v1/orderbook/${market.id}?outcome=YES`);
    expect(bids).toEqual([{ price: 400_000, size: 3_000_000 }]);
    const cancel = await exchange.client.delete(`/api/v1/orders/${expiring.orderHash}?marketId=${market.id}`);
    expect(cancel).toMatchObject({ status: 409, body: { code: 'order_not_open', details: { status: 'expired' } } });
    expect(await findOrder(lasting.orderHash)).toMatchObject({ status: 'open' });
    const { orders } = await exchange.client.read<{ orders: OrderBody[] }>(`/api/v1/orders?trader=${ann.address}`);
    expect(orders.map(({ orderHash }) => orderHash)).toEqual([lasting.orderHash]);
  });

  it('an order that would expire within a minute is refused by the new clock', async () => {
    const market = await exchange.newMarket('Which clock counts?');
    const params = { market: market.id, side: 'buy', price: '0.4', size: '2', expiration: (await now()) + 30 } as const;
    const refused = await exchange.client.placeOrder(ann, params);
    expect(refused).toMatchObject({ status: 400, body: { code: 'expiration_too_soon' } });
  });

  it('a market past its expiration takes no order, and gives back those it had', async () => {
    const market = await exchange.newMarket('Does a market close?', HOUR);
    const params = { market: market.id, side: 'buy', price: '0.4', size: '2' } as const;
    const resting = await exchange.client.order(ann, params);
    expect(await findMarket(market.id)).toMatchObject({ status: 'open' });
    await travel(HOUR);
    expect(await findMarket(market.id)).toMatchObject({ status: 'expired', resolved: false, winningOutcome: null });
    const refused = await exchange.client.placeOrder(ben, { ...params, side: 'sell' });
    expect(refused).toMatchObject({ status: 409, body: { code: 'market_closed' } });
    expect(await findOrder(resting.orderHash)).toMatchObject({ status: 'cancelled' });
    expect(await exchange.client.read(`/api/v1/orderbook/${market.id}`)).toMatchObject({ bids: [], asks: [] });
    const { events } = await exchange.client.read<{ events: LifeEvent[] }>(
      `/api/v1/orders/${resting.orderHash}/events`,
    );
    expect(events.at(-1)).toMatchObject({ type: 'cancelled', reason: 'market_closed' });
    const { markets } = await exchange.client.read<{ markets: MarketBody[] }>('/api/v1/markets?status=expired');
    expect(markets.map(({ id }) => id)).toContain(market.id);
  });

  it('what matched before the close settles after it', async () => {
    const market = await exchange.newMarket('Does it settle after the close?', HOUR);
    await exchange.client.post('/sandbox/faults', { settlement: 'revert' });
    const params = { market: market.id, price: '0.4', size: '2' } as const;
    await exchange.client.order(ann, { ...params, side: 'sell' });
    await exchange.client.order(ben, { ...params, side: 'buy' });
    await travel(HOUR + HOUR / 2);
    expect(await findMarket(market.id)).toMatchObject({ status: 'expired' });
    expect(await exchange.trades(market.id)).toMatchObject([{ status: 'pending' }]);
    await exchange.client.post('/sandbox/faults', { settlement: 'normal' });
    await exchange.settled();
    expect(await exchange.trades(market.id)).toMatchObject([{ status: 'confirmed' }]);
    expect(await exchange.chain.shares(market, ben.address)).toEqual({ yes: 2_000_000n, no: 0n });
    const { reported, onChain } = await exchange.sharesBothWays(market, ann);
    expect(reported).toEqual(onChain);
  });
});

describe('a journey beyond the grace of a market', () => {
  it('begins when what is pending has settled', async () => {
    const market = await exchange.newMarket('Does it settle before the journey?', HOUR);
    const params = { market: market.id, price: '0.4', size: '2' } as const;
    await exchange.client.order(ann, { ...params, side: 'sell' });
    await exchange.client.order(ben, { ...params, side: 'buy' });
    await travel(3 * HOUR);
    await exchange.settled();
    expect(await exchange.trades(market.id)).toMatchObject([{ status: 'confirmed' }]);
    expect(await exchange.chain.shares(market, ben.address)).toEqual({ yes: 2_000_000n, no: 0n });
  });

  it('voids what could not settle, and says so', async () => {
    const market = await exchange.newMarket('Is it void?', HOUR);
    await exchange.client.post('/sandbox/faults', { settlement: 'revert' });
    const params = { market: market.id, price: '0.4', size: '2' } as const;
    const sell = await exchange.client.order(ann, { ...params, side: 'sell' });
    await exchange.client.order(ben, { ...params, side: 'buy' });
    await travel(3 * HOUR);
    await exchange.client.post('/sandbox/faults', { settlement: 'normal' });
    await exchange.settled();
    const { failedTrades } = await exchange.client.read<{ failedTrades: FailedBody[] }>('/api/v1/failed-trades');
    const reason = 'the market ended before the trade could settle, so the trade is void';
    const here = failedTrades.filter(({ marketId }) => marketId === market.id);
    expect(here).toMatchObject([{ faultParty: 'operator', reason }]);
    expect(await exchange.trades(market.id)).toEqual([]);
    expect(await exchange.chain.shares(market, ben.address)).toEqual({ yes: 0n, no: 0n });
    expect(await findOrder(sell.orderHash)).toMatchObject({ status: 'cancelled' });
  });
});

describe('after a restart', () => {
  let market: MarketBody;

  it('it is still as late as before, for the service and for the chain', async () => {
    const before = await now();
    const { offsetSeconds } = (await travel(24 * HOUR)).body;
    market = await exchange.newMarket('Is it remembered?');
    await exchange.client.post('/sandbox/faults', { settlement: 'revert' });
    const params = { market: market.id, price: '0.4', size: '2' } as const;
    await exchange.client.order(ann, { ...params, side: 'sell' });
    await exchange.client.order(ben, { ...params, side: 'buy' });
    await exchange.sandbox.stop();
    exchange = await exchange.reopen({ env: ENV });
    expect(await now()).toBeGreaterThanOrEqual(before + 24 * HOUR);
    const later = await exchange.newMarket('Is it later still?');
    expect(later.createdAt).toBeGreaterThanOrEqual(market.createdAt);
    expect(await exchange.trades(market.id)).toMatchObject([{ status: 'pending' }]);
    const faults = await exchange.client.post('/sandbox/faults', {});
    expect(faults.body).toMatchObject({ chain: 'up', settlement: 'revert' });
    await exchange.client.post('/sandbox/faults', { settlement: 'normal' });
    await exchange.settled();
    expect((await travel(1)).body.offsetSeconds).toBe(offsetSeconds + 1);
  });

  it('what was matched before it settles', async () => {
    expect(await exchange.trades(market.id)).toMatchObject([{ status: 'confirmed' }]);
    expect(await exchange.chain.shares(market, ben.address)).toEqual({ yes: 2_000_000n, no: 0n });
  });

  it('the service is as late as the chain, where a kill came between the two in a journey', async () => {
    const before = await now();
    const rpc = new JsonRpc({ url: exchange.sandbox.rpcUrl });
    const { offsetSeconds } = (await travel(1)).body;
    await rpc.request('presage_setTimeOffset', [offsetSeconds + 24 * HOUR]);
    await exchange.sandbox.killGroup();
    exchange = await exchange.reopen({ env: ENV });
    await waitFor('the service has moved', async () => (await now()) >= before + 24 * HOUR);
    // On the chain a day later, the market would have expired before it was created.
    const late = await exchange.newMarket('Is the service late?', HOUR);
    expect(Number(late.expiration) - (await now())).toBeGreaterThan(HOUR - 60);
    expect((await travel(1)).body.offsetSeconds).toBe(offsetSeconds + 24 * HOUR + 1);
  });
});
