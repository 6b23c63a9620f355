// The SDK against a real sandbox: orders placed, previewed, settled on chain, cancelled; refusals as typed errors; and what is watched meanwhile.
import { QUICK_MARKETS, waitFor, walletOf } from '@presage/testkit';
import { beforeEach, describe, expect, it } from 'vitest';
import { createTradingClient, type Market, PlacedOrder, PresageApiError, PresageInputError } from '../../src/index.ts';
import { usePlace } from './sdk-sandbox.ts';
import { testStreams } from './streams.ts';

const place = usePlace(QUICK_MARKETS);
describe('orders', () => {
  let market: Market;
  let round = 0;

  beforeEach(async () => {
    round += 1;
    market = await place.sandbox.newMarket(`Does order test ${round} pass?`);
  });

  async function refusalOf(work: Promise<unknown>): Promise<PresageApiError> {
    const error = await work.then(
      () => undefined,
      (cause: unknown) => cause,
    );
    expect(error).toBeInstanceOf(PresageApiError);
    return error as PresageApiError;
  }

  describe('an order placed with the SDK', () => {
    it('rests, matches and settles on chain, as both sides see it', async () => {
      const [ann, ben] = [place.sandbox.client('sdk ann'), place.sandbox.client('sdk ben')];
      const resting = await ann.placeOrder({ marketId: market.id, side: 'sell', price: '0.55', size: '10' });
      expect(resting).toMatchObject({ orderStatus: 'open', matches: 0, remainingSize: 10_000_000 });
      expect(await resting.waitForSettlement()).toEqual({ settled: [], failed: [] });
      // A day, unless it asks for more.
      const { expiration, createdAt } = await resting.refresh();
      expect(Number(expiration) - Number(createdAt)).toBeLessThanOrEqual(86_400);
      expect(Number(expiration) - Number(createdAt)).toBeGreaterThan(86_000);

      const taking = await ben.placeOrder({ marketId: market.id, side: 'buy', price: '55c', size: '4' });
      expect(taking).toMatchObject({ orderStatus: 'filled', matches: 1, filledSize: 4_000_000 });
      const { settled, failed } = await taking.waitForSettlement();
      expect(failed).toEqual([]);
      expect(settled).toMatchObject([{ price: 550_000, size: 4_000_000, role: 'taker', stage: 'confirmed' }]);
      expect(await ben.getSettlement(settled[0]?.txHash ?? '')).toMatchObject({ found: true, status: 'confirmed' });
      expect((await resting.waitForSettlement()).settled).toMatchObject([{ role: 'maker', counterparty: ben.address }]);
      expect(await ben.getPosition(market.id, ben.address)).toMatchObject({ yesShares: 4_000_000, yesCost: 2_200_000 });

      const closing = ann.cancel(resting.orderHash);
      expect((await resting.waitForSettlement({ untilClosed: true })).settled).toHaveLength(1);
      expect(await closing).toMatchObject({ status: 'cancelled', filledSize: 4_000_000, remainingSize: 6_000_000 });
      expect((await resting.refresh()).status).toBe('cancelled');
    });

    it('takes the wallet’s own resting order off the book instead of trading with it, unless it asks for that', async () => {
      const ann = place.sandbox.client('sdk self');
      const params = { marketId: market.id, price: '0.5', size: '2' } as const;
      const resting = await ann.placeOrder({ ...params, side: 'sell' });
      const crossing = await ann.placeOrder({ ...params, side: 'buy' });
      expect(crossing).toMatchObject({ orderStatus: 'open', matches: 0, remainingSize: 2_000_000 });
      expect(await resting.refresh()).toMatchObject({ status: 'cancelled' });
      expect((await ann.getOrderEvents(resting.orderHash)).events.at(-1)).toMatchObject({ reason: 'self_trade' });
      const asked = await ann.placeOrder({ ...params, side: 'sell', selfTradePrevention: 'none' });
      expect(asked).toMatchObject({ orderStatus: 'filled', matches: 1 });
      expect(await crossing.refresh()).toMatchObject({ status: 'filled' });
    });

    it('can be previewed without a signature and without being stored', async () => {
      const ann = place.sandbox.client('sdk ann');
      const address = walletOf('sdk ben').address;
      const request = async () => {
        throw new Error('a wallet was asked');
      };
      const ben = createTradingClient({ url: place.sandbox.url, account: { provider: { request }, address } });
      await ann.placeOrder({ marketId: market.id, side: 'sell', price: '0.6', size: '3' });
      const params = { marketId: market.id, side: 'buy', price: '0.65', size: '5' } as const;
      const preview = await ben.previewOrder(params);
      expect(preview.errors).toEqual([]);
      expect(preview.wouldMatch).toMatchObject({ matches: 1, filledSize: 3_000_000, cost: 1_800_000 });
      expect((await ben.listOrders(ben.address, { market: market.id })).count).toBe(0);
      const crossing = await ben.previewOrder({ ...params, postOnly: true });
      expect(crossing.errors).toMatchObject([{ code: 'would_cross' }]);
    });

    it('can be one of a batch in which each order succeeds or fails on its own', async () => {
      const ann = place.sandbox.client('sdk ann');
      const sell = (price: string) => ({ marketId: market.id, side: 'sell', price, size: '1' }) as const;
      const results = await ann.placeOrders([
        sell('0.7'),
        { ...sell('0.7'), marketId: `0x${'00'.repeat(32)}` },
        sell('0.8'),
      ]);
      expect(results.map((result) => result instanceof PlacedOrder)).toEqual([true, false, true]);
      expect(results[1]).toMatchObject({ code: 'market_not_found', status: 404, retryable: false });
      const nonces = results.flatMap((result) => (result instanceof PlacedOrder ? [result.order.nonce] : []));
      expect(nonces[1]).toBe((nonces[0] ?? 0n) + 1n);
      expect((await ann.cancelAll({ marketId: market.id })).count).toBe(2);
    });

    it('can be one of several that are placed together or not at all', async () => {
      const ann = place.sandbox.client('sdk together');
      const sell = (price: string) =>
        ({ marketId: market.id, side: 'sell', price, size: '1', postOnly: true }) as const;
      const placed = await ann.placeOrdersTogether([sell('0.7'), sell('0.8')]);
      expect(placed.map(({ orderStatus }) => orderStatus)).toEqual(['open', 'open']);
      // Without a flag it is fill-or-kill, and nobody sells that cheaply.
      const cheap = { marketId: market.id, side: 'buy', price: '0.01', size: '1' } as const;
      const refused = ann.placeOrdersTogether([sell('0.9'), cheap]);
      await expect(refused).rejects.toMatchObject({
        code: 'batch_not_filled',
        details: { index: 1, code: 'fok_not_filled' },
      });
      expect((await ann.cancelAll({ marketId: market.id })).count).toBe(2);
    });
  });

  describe('an invalid order', () => {
    it('is refused before anything is signed', async () => {
      const ann = place.sandbox.client('sdk ann');
      const params = { marketId: market.id, side: 'buy', price: '0.55', size: '1' } as const;
      for (const wrong of [{ price: '0.5500001' }, { size: '0' }, { marketId: '0x12' }, { expiresIn: 1.5 }]) {
        await expect(ann.placeOrder({ ...params, ...wrong })).rejects.toThrow(PresageInputError);
      }
    });

    it('is refused by the service as a typed error with its remedy', async () => {
      const ann = place.sandbox.client('sdk ann');
      const params = { marketId: market.id, side: 'buy', price: '0.55', size: '1' } as const;
      const soon = await refusalOf(ann.placeOrder({ ...params, expiration: 1_000 }));
      expect(soon).toMatchObject({ code: 'expiration_too_soon', status: 400, retryable: false });
      expect(soon.requestId).toMatch(/\S/);
      expect(soon.remedy).toContain('/api/v1/time');
      expect(soon.details).toMatchObject({ field: 'order.expiration' });
      const placed = await ann.placeOrder({ ...params, nonce: 5n });
      expect(await refusalOf(ann.placeOrder({ ...params, nonce: 5n, size: '2' }))).toMatchObject({
        code: 'nonce_already_used',
        status: 409,
      });
      await placed.cancel();
      expect(await refusalOf(placed.cancel())).toMatchObject({
        code: 'order_not_open',
        details: { status: 'cancelled' },
      });
      expect(await refusalOf(ann.getMarket(`0x${'12'.repeat(32)}`))).toMatchObject({ code: 'market_not_found' });
    });

    it('rejects with the reason of an aborted signal', async () => {
      const ann = place.sandbox.client('sdk ann');
      const placed = await ann.placeOrder({ marketId: market.id, side: 'buy', price: '0.5', size: '1' });
      const controller = new AbortController();
      const waiting = placed.waitForSettlement({ untilClosed: true, signal: controller.signal });
      controller.abort(new Error('enough'));
      await expect(waiting).rejects.toThrow('enough');
      await expect(ann.listMarkets({}, { signal: AbortSignal.abort(new Error('no')) })).rejects.toThrow('no');
    });
  });

  describe('a lost response', () => {
    it('is requested again, and the order is not placed twice', async () => {
      let lost = 0;
      const loseFirst: typeof fetch = async (...args) => {
        const response = await fetch(...args);
        if (args[1]?.method !== 'POST' || lost > 0) return response;
        lost += 1;
        await response.arrayBuffer();
        throw new TypeError('connection reset');
      };
      const ann = createTradingClient({ url: place.sandbox.url, account: walletOf('sdk ann'), fetch: loseFirst });
      const placed = await ann.placeOrder({ marketId: market.id, side: 'buy', price: '0.5', size: '1' });
      expect(lost).toBe(1);
      const { orders } = await ann.listOrders(ann.address, { market: market.id });
      expect(orders.map(({ orderHash }) => orderHash)).toEqual([placed.orderHash]);
    });
  });

  describe('time', () => {
    it('is the service clock: an order is not expired when the sandbox clock moved since the last one', async () => {
      const ann = place.sandbox.client('sdk ann');
      const params = { marketId: market.id, side: 'buy', price: '0.5', size: '1', expiresIn: 120 } as const;
      await ann.placeOrder(params);
      await place.sandbox.post('/sandbox/time', { advanceSeconds: 3_600 });
      await ann.placeOrder(params);
      await waitFor('the first has expired', async () => {
        return (await ann.listOrders(ann.address, { market: market.id })).count === 1;
      });
    });

    it('cancels the orders of a wallet that stops calling heartbeat, unless it disarmed the switch', async () => {
      const ann = place.sandbox.client('sdk heart');
      await ann.placeOrder({ marketId: market.id, side: 'buy', price: '0.5', size: '1' });
      expect((await ann.heartbeat(5)).expiresAt).toBeGreaterThan(0);
      expect(await ann.heartbeat(0)).toEqual({ expiresAt: null });
      await ann.heartbeat(5);
      await waitFor('its orders are gone', async () => (await ann.listOrders(ann.address)).count === 0);
    });
  });
});

// Kills the sandbox.
testStreams(place);
