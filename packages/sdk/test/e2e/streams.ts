// Watching through a connection that is cut again and again: nothing missed, nothing repeated, and a gap event where data is lost.
import { CutProxy, isLongRun, SeededRandom, seedFromEnv, waitFor } from '@presage/testkit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  type BookEvent,
  createPublicClient,
  type Market,
  PresageApiError,
  type PublicClient,
  type WatchPriceEvent,
  type WatchUserEvent,
} from '../../src/index.ts';
import type { SdkPlace } from './sdk-sandbox.ts';

const seed = seedFromEnv(11);
const ORDERS = isLongRun ? 600 : 60;

export function testStreams(place: SdkPlace): void {
  describe('streams', () => {
    let proxy: CutProxy;
    /** Its connections go through the proxy. */
    let watcher: PublicClient;
    let market: Market;
    let round = 0;

    beforeAll(async () => {
      proxy = await CutProxy.open(place.sandbox.url);
      watcher = createPublicClient({ url: proxy.url });
    });
    afterAll(() => proxy?.close());
    beforeEach(async () => {
      round += 1;
      market = await place.sandbox.newMarket(`Does stream test ${round} pass?`);
    });

    /** Reads an iterator in the background. */
    function collect<E>(events: AsyncIterable<E>) {
      const seen: E[] = [];
      const done = (async () => {
        for await (const event of events) seen.push(event);
      })();
      return { seen, done };
    }

    async function trade(name: string, random: SeededRandom): Promise<void> {
      const client = place.sandbox.client(name);
      await client.placeOrder({
        marketId: market.id,
        side: random.pick(['buy', 'sell'] as const),
        outcome: random.pick(['YES', 'NO'] as const),
        price: BigInt(random.int(45, 55) * 10_000),
        size: BigInt(random.int(1, 5) * 1_000_000),
      });
    }

    describe('a watched book', () => {
      it('equals the service’s book, including its hash, after every cut, without a gap', async () => {
        const random = new SeededRandom(seed);
        const controller = new AbortController();
        const { seen, done } = collect(watcher.watchBook(market.id, { signal: controller.signal }));
        await waitFor('both books have come', async () => seen.length >= 2);
        for (let order = 0; order < ORDERS; order++) {
          await trade(`stream ${random.int(1, 4)}`, random);
          if (order % 10 === 5) proxy.cut();
        }
        for (const outcome of ['YES', 'NO'] as const) {
          const { bids, asks, hash } = await place.sandbox.reader.getOrderbook(market.id, { outcome });
          const last = await waitFor(`the last ${outcome} book is there`, async () =>
            seen.findLast((event) => event.type === 'book' && event.outcome === outcome && event.hash === hash),
          );
          expect(last, `seed ${seed}`).toMatchObject({ bids, asks });
        }
        expect(seen.filter(({ type }) => type === 'gap')).toEqual([]);
        controller.abort();
        await done;
      });

      it('of one outcome shows no other, and of an unknown market is refused with a code', async () => {
        const controller = new AbortController();
        const { seen, done } = collect(watcher.watchBook(market.id, { outcome: 'NO', signal: controller.signal }));
        const ann = place.sandbox.client('stream ann');
        await ann.placeOrder({ marketId: market.id, side: 'buy', price: '0.4', size: '1' });
        await ann.placeOrder({ marketId: market.id, side: 'buy', outcome: 'NO', price: '0.3', size: '2' });
        await waitFor('the NO book has its bid', async () =>
          seen.some((event) => event.type === 'book' && event.bids[0]),
        );
        expect(new Set(seen.map((event) => (event as BookEvent).outcome))).toEqual(new Set(['NO']));
        expect(seen.at(-1)).toMatchObject({ bids: [{ price: 300_000, size: 2_000_000 }], asks: [] });
        controller.abort();
        await done;
        const refused = watcher.watchBook(`0x${'12'.repeat(32)}`).next();
        await expect(refused).rejects.toThrow(PresageApiError);
        await expect(refused).rejects.toMatchObject({ code: 'market_not_found' });
      });
    });

    describe('watched trades', () => {
      it('arrive exactly once and in order, with their settlement, however often the connection is cut', async () => {
        const random = new SeededRandom(seed);
        const controller = new AbortController();
        const { seen, done } = collect(watcher.watchTrades(market.id, { signal: controller.signal }));
        const tradeIds = () => seen.flatMap((event) => (event.type === 'trade' ? [event.data.id] : []));
        const placed: number[] = [];
        const [ann, ben] = [place.sandbox.client('stream ann'), place.sandbox.client('stream ben')];
        await ann.placeOrder({ marketId: market.id, side: 'sell', price: '0.5', size: '100000' });
        const buyOne = async () => {
          const { trades } = await ben.placeOrder({ marketId: market.id, side: 'buy', price: '0.5', size: '1' });
          placed.push(...trades.map(({ id }) => id));
        };
        // A trade watch yields nothing until a trade happens: trades before the first one it yields do not count.
        await waitFor('the watch has begun', async () => {
          await buyOne();
          return tradeIds().length > 0;
        });
        placed.splice(0, placed.indexOf(tradeIds()[0] ?? 0));
        for (let order = 0; order < ORDERS / 2; order++) {
          await buyOne();
          if (random.chance(0.15)) proxy.cut();
        }
        const confirmed = () =>
          seen.flatMap((event) =>
            event.type === 'trade_status' && event.data.stage === 'confirmed' && placed.includes(event.data.id)
              ? [event.data.id]
              : [],
          );
        await waitFor('every trade is confirmed', async () => confirmed().length >= placed.length);
        expect(tradeIds(), `seed ${seed}`).toEqual(placed);
        expect(confirmed().toSorted()).toEqual(placed.toSorted());
        expect(seen.filter(({ type }) => type === 'gap')).toEqual([]);
        controller.abort();
        await done;
      });

      it('end without an error when their reader stops', async () => {
        const ann = place.sandbox.client('stream ann');
        const events: string[] = [];
        const reading = (async () => {
          for await (const event of watcher.watchMarket(market.id)) {
            events.push(event.type);
            if (event.type === 'order_cancelled') break;
          }
        })();
        await waitFor('the books are there', async () => events.length >= 2);
        const order = await ann.placeOrder({ marketId: market.id, side: 'buy', price: '0.4', size: '1' });
        await order.cancel();
        await reading;
        expect(events).toContain('order_cancelled');
        await waitFor('its connection is closed', async () => proxy.connections === 0);
      });
    });

    describe('a watched wallet', () => {
      it('yields orders, fills, settlements and balances, and a gap after each reconnection', async () => {
        const [ann, ben] = [place.sandbox.client('stream user ann'), place.sandbox.client('stream user ben')];
        const controller = new AbortController();
        const { seen, done } = collect(watcher.watchUser(ann.address, { signal: controller.signal }));
        const has = (type: WatchUserEvent['type']) => seen.some((event) => event.type === type);
        await waitFor('the first balance has come', async () => has('balance'));
        const order = await ann.placeOrder({ marketId: market.id, side: 'sell', price: '0.5', size: '1' });
        const taking = await ben.placeOrder({ marketId: market.id, side: 'buy', price: '0.5', size: '1' });
        await taking.waitForSettlement();
        await waitFor('the settlement was reported', async () =>
          seen.some((event) => event.type === 'trade_status' && event.data.stage === 'confirmed'),
        );
        expect(seen.find(({ type }) => type === 'order')).toMatchObject({ data: { orderHash: order.orderHash } });
        expect(seen.find(({ type }) => type === 'fill')).toMatchObject({
          data: { role: 'maker', counterparty: ben.address },
        });
        expect(has('gap')).toBe(false);
        proxy.cut();
        await waitFor('the reconnection was reported', async () => has('gap'));
        controller.abort();
        await done;
      });
    });

    describe('a watched price', () => {
      it('misses no price of the history through several cuts', async () => {
        const controller = new AbortController();
        const { seen, done } = collect<WatchPriceEvent>(watcher.watchPrice('btc', { signal: controller.signal }));
        const times = () => seen.flatMap((event) => (event.type === 'price' ? [event.data.timestamp] : []));
        for (let prices = 2; prices <= 8; prices += 2) {
          await waitFor(`${prices} prices have come`, async () => times().length >= prices);
          proxy.cut();
        }
        await waitFor('the stream is back', async () => times().length >= 10);
        const { prices } = await place.sandbox.reader.getPriceHistory('BTC');
        const [first = 0, last = 0] = [times()[0], times().at(-1)];
        const published = prices
          .map(({ timestamp }) => timestamp)
          .filter((s) => s * 1_000 >= first && s * 1_000 <= last);
        expect(times().map((ms) => Math.floor(ms / 1_000))).toEqual(published);
        expect(seen.filter(({ type }) => type === 'gap')).toEqual([]);
        controller.abort();
        await done;
        await expect(watcher.watchPrice('NOSUCH').next()).rejects.toMatchObject({ code: 'asset_not_supported' });
      });
    });

    describe('a service that is killed and comes back', () => {
      it('is followed again: missed events arrive, or a gap does, and the book is right', async () => {
        const controller = new AbortController();
        const books = collect(watcher.watchBook(market.id, { signal: controller.signal }));
        const ann = place.sandbox.client('stream ann');
        await ann.placeOrder({ marketId: market.id, side: 'buy', price: '0.4', size: '1' });
        await waitFor('the bid is seen', async () =>
          books.seen.some((event) => event.type === 'book' && event.bids[0]),
        );
        await place.sandbox.process.killGroup();
        await place.reopen();
        await place.sandbox
          .client('stream ann')
          .placeOrder({ marketId: market.id, side: 'buy', price: '0.41', size: '1' });
        proxy.pointAt(place.sandbox.url);
        const { hash } = await place.sandbox.reader.getOrderbook(market.id, { outcome: 'YES' });
        await waitFor('the new book is seen', async () =>
          books.seen.some((event) => event.type === 'book' && event.hash === hash && event.bids.length === 2),
        );
        controller.abort();
        await books.done;
      });
    });
  });
}
