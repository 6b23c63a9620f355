// Orders over HTTP: what each kind does to the book, how they are listed, replayed and cancelled.
import { OpenOrder, SubmitOrderAnswer } from '@presage/protocol';
import { type OrderAnswerBody, waitFor, walletOf } from '@presage/testkit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Exchange } from './exchange.ts';
import { testBulkOrders } from './order-bulk.ts';
import { type BookBody, expectShape, type LifeEvent, type MarketBody, type OrderBody } from './wire.ts';

const [ann, ben, cas] = [walletOf('orders ann'), walletOf('orders ben'), walletOf('orders cas')];
let exchange: Exchange;
let market: MarketBody;
let count = 0;

beforeAll(async () => {
  exchange = await Exchange.open();
});
afterAll(() => exchange?.close());
const buy = (price: string, size: string) => ({ market: market.id, side: 'buy', price, size }) as const;
const sell = (price: string, size: string) => ({ market: market.id, side: 'sell', price, size }) as const;

async function book(outcome = 'YES') {
  const { bids, asks } = await exchange.client.read<BookBody>(`/api/v1/orderbook/${market.id}?outcome=${outcome}`);
  const plain = (levels: BookBody['bids']) => levels.map(({ price, size }) => [price, size]);
  return { bids: plain(bids), asks: plain(asks) };
}

async function openOrders(wallet: { address: string }): Promise<OrderBody[]> {
  const path = `/api/v1/orders?trader=${wallet.address}&market=${market.id}`;
  return (await exchange.client.read<{ orders: OrderBody[] }>(path)).orders;
}

function findOrder(hash: string) {
  return exchange.client.get<OrderBody>(`/api/v1/orders/${hash}`);
}

describe('one order at a time', () => {
  beforeEach(async () => {
    count += 1;
    market = await exchange.newMarket(`Is this market number ${count}?`);
  });

  describe('matching', () => {
    it('gives the best price first, then the oldest order, at the price of the resting one', async () => {
      const late = await exchange.client.order(ann, sell('0.6', '5'));
      const dear = await exchange.client.order(ben, sell('0.61', '5'));
      const cheap = await exchange.client.order(ben, sell('0.59', '5'));
      const later = await exchange.client.order(ben, sell('0.6', '5'));
      const taker = await exchange.client.order(cas, buy('0.61', '11'));
      expectShape(taker, SubmitOrderAnswer);
      expect(taker).toMatchObject({ matches: 3, filledSize: 11_000_000, remainingSize: 0, orderStatus: 'filled' });
      expect(taker.trades.map(({ price, size }) => [price, size])).toEqual([
        [590_000, 5_000_000],
        [600_000, 5_000_000],
        [600_000, 1_000_000],
      ]);
      expect((await findOrder(cheap.orderHash)).body).toMatchObject({ status: 'filled', remainingSize: 0 });
      expect((await findOrder(late.orderHash)).body).toMatchObject({ status: 'filled' });
      expect((await findOrder(later.orderHash)).body).toMatchObject({ status: 'open', remainingSize: 4_000_000 });
      expect((await findOrder(dear.orderHash)).body).toMatchObject({ status: 'open', filledSize: 0 });
    });
  });

  describe('an order that its terms refuse', () => {
    it('is answered with the reason and leaves no trace, not even its nonce', async () => {
      await exchange.client.order(ann, sell('0.6', '4'));
      const before = await exchange.client.read(`/api/v1/orderbook/${market.id}`);
      const params = { ...buy('0.6', '5'), timeInForce: 'FOK', nonce: 77n } as const;
      const unfilled = await exchange.client.placeOrder(ben, params);
      expect(unfilled).toMatchObject({
        status: 409,
        body: { code: 'fok_not_filled', details: { fillable: 4_000_000 } },
      });
      const crossing = await exchange.client.placeOrder(ben, { ...buy('0.6', '1'), postOnly: true });
      expect(crossing).toMatchObject({ status: 409, body: { code: 'would_cross', details: { bestPrice: 600_000 } } });
      expect(await exchange.client.read(`/api/v1/orderbook/${market.id}`)).toEqual(before);
      expect(await openOrders(ben)).toEqual([]);
      const second = await exchange.client.order(ben, { ...params, size: '4' });
      expect(second).toMatchObject({ matches: 1, orderStatus: 'filled' });
      expect((await findOrder(second.orderHash)).status).toBe(200);
    });
  });

  describe('an order that is cancelled by its own terms', () => {
    it('is answered and shown as cancelled: the rest of an IOC, and a resting order that its own wallet meets', async () => {
      const own = await exchange.client.order(ann, sell('0.5', '3'));
      await exchange.client.order(ben, sell('0.55', '3'));
      const terms = { timeInForce: 'IOC', selfTradePrevention: 'cancel_resting' } as const;
      const taker = await exchange.client.order(ann, { ...buy('0.6', '5'), ...terms });
      expect(taker).toMatchObject({
        filledSize: 3_000_000,
        remainingSize: 2_000_000,
        orderStatus: 'cancelled',
        trades: [{ price: 550_000, size: 3_000_000 }],
      });
      expect((await findOrder(own.orderHash)).body).toMatchObject({ status: 'cancelled', filledSize: 0 });
      expect(await book()).toEqual({ bids: [], asks: [] });
    });
  });

  describe('the same signed order posted again', () => {
    it('answers as the first time and says so, whatever has become of the order', async () => {
      await exchange.client.order(ben, sell('0.5', '2'));
      const submission = await exchange.client.signOrder(ann, buy('0.5', '5'));
      const first = await exchange.client.post<object>('/api/v1/orders', submission);
      expect(first.status).toBe(200);
      expect(first.headers.get('idempotent-replayed')).toBeNull();
      const { orderHash } = first.body as { orderHash: string };
      const again = async () => {
        const replay = await exchange.client.post('/api/v1/orders', submission);
        expect(replay).toMatchObject({ status: 200, body: first.body });
        expect(replay.body).toEqual(first.body);
        expect(replay.headers.get('idempotent-replayed')).toBe('true');
      };
      await again();
      await exchange.client.order(cas, sell('0.5', '1'));
      await again();
      await exchange.client.delete(`/api/v1/orders/${orderHash}?marketId=${market.id}`);
      await again();
      expect(await book()).toEqual({ bids: [], asks: [] });
    });

    it('is another order with another nonce, and refused with the same nonce and other terms', async () => {
      const params = { ...buy('0.5', '5'), nonce: 5n };
      const first = await exchange.client.order(ann, params);
      const other = await exchange.client.placeOrder(ann, { ...params, size: '6' });
      expect(other).toMatchObject({ status: 409, body: { code: 'nonce_already_used' } });
      const next = await exchange.client.order(ann, { ...params, nonce: 6n });
      expect(next.orderHash).not.toBe(first.orderHash);
      const elsewhere = await exchange.newMarket('May a nonce be used in another market?');
      await exchange.client.order(ann, { ...params, market: elsewhere.id });
      await exchange.client.order(ben, params);
    });
  });

  describe('cancelling', () => {
    const cancel = (hash: string, query: string) => exchange.client.delete(`/api/v1/orders/${hash}${query}`);

    it('takes an order off the book, by its hash, whichever side is named', async () => {
      const hashes = [
        (await exchange.client.order(ann, buy('0.4', '5'))).orderHash,
        (await exchange.client.order(ann, sell('0.6', '5'))).orderHash,
        (await exchange.client.order(ann, sell('0.7', '5'))).orderHash,
      ];
      const queries = ['&side=sell', '', '&side=buy'];
      for (const [index, orderHash] of hashes.entries()) {
        expect(await cancel(orderHash, `?marketId=${market.id}${queries[index]}`)).toMatchObject({
          status: 200,
          body: { status: 'cancelled', orderHash, filledSize: 0, remainingSize: 5_000_000 },
        });
      }
      expect(await book()).toEqual({ bids: [], asks: [] });
      expect(await openOrders(ann)).toEqual([]);
    });

    it('reports what was filled before', async () => {
      const { orderHash } = await exchange.client.order(ann, sell('0.6', '5'));
      await exchange.client.order(ben, buy('0.6', '2'));
      const { body } = await cancel(orderHash, `?marketId=${market.id}`);
      expect(body).toMatchObject({ status: 'cancelled', orderHash, filledSize: 2_000_000, remainingSize: 3_000_000 });
    });

    it('is refused for what is final, unknown or elsewhere, and for a malformed request', async () => {
      const { orderHash } = await exchange.client.order(ann, sell('0.6', '5'));
      const elsewhere = await exchange.newMarket('Is the order here?');
      const here = `?marketId=${market.id}`;
      const refusals = [
        [orderHash, '', 400, 'invalid_field'],
        [orderHash, '?marketId=0x12', 400, 'invalid_field'],
        [orderHash, `${here}&side=both`, 400, 'invalid_field'],
        ['0x12', here, 400, 'invalid_field'],
        [orderHash, `?marketId=${elsewhere.id}`, 404, 'order_not_found'],
        [`0x${'ab'.repeat(32)}`, here, 404, 'order_not_found'],
      ] as const;
      for (const [hash, query, status, code] of refusals) {
        expect(await cancel(hash, query), query).toMatchObject({ status, body: { code } });
      }
      await cancel(orderHash, here);
      const twice = await cancel(orderHash, here);
      expect(twice).toMatchObject({ status: 409, body: { code: 'order_not_open', details: { status: 'cancelled' } } });
      const filled = await exchange.client.order(ann, sell('0.6', '1'));
      await exchange.client.order(ben, buy('0.6', '1'));
      const late = await cancel(filled.orderHash, here);
      expect(late).toMatchObject({ status: 409, body: { code: 'order_not_open', details: { status: 'filled' } } });
    });
  });

  describe('cancelling all orders of a wallet', () => {
    it('keeps to the market that is named, by every name that lists of orders take, and refuses an empty one', async () => {
      const eve = walletOf('orders eve');
      const elsewhere = await exchange.newMarket('Is there a market to clear?');
      const { orderHash: kept } = await exchange.client.order(eve, buy('0.2', '1'));
      const all = `/api/v1/orders?trader=${eve.address}`;
      for (const name of ['marketId', 'market_id', 'market']) {
        const { orderHash } = await exchange.client.order(eve, { ...buy('0.2', '1'), market: elsewhere.id });
        const empty = { status: 400, body: { code: 'invalid_field', details: { field: name } } };
        expect(await exchange.client.delete(`${all}&${name}=`), name).toMatchObject(empty);
        if (name !== 'marketId') expect(await exchange.client.get(`${all}&${name}=`), name).toMatchObject(empty);
        const cleared = await exchange.client.delete(`${all}&${name}=${elsewhere.id}`);
        expect(cleared, name).toMatchObject({ status: 200, body: { cancelled: [orderHash], count: 1 } });
      }
      const both = await exchange.client.delete(`${all}&market=${elsewhere.id}&marketId=${market.id}`);
      expect(both).toMatchObject({ status: 200, body: { cancelled: [], count: 0 } });
      expect((await exchange.client.read<{ orders: OrderBody[] }>(all)).orders).toMatchObject([{ orderHash: kept }]);
    });
  });

  describe('reading orders', () => {
    it('lists the open orders of a wallet, newest first, in one market or in all', async () => {
      const dan = walletOf('orders dan');
      const elsewhere = await exchange.newMarket('Is there another market?');
      const hashes: string[] = [];
      for (const params of [buy('0.2', '1'), buy('0.1', '2'), { ...buy('0.3', '3'), market: elsewhere.id }]) {
        hashes.push((await exchange.client.order(dan, params)).orderHash);
      }
      const gone = await exchange.client.order(dan, buy('0.25', '1'));
      await exchange.client.delete(`/api/v1/orders/${gone.orderHash}?marketId=${market.id}`);
      const all = await exchange.client.read<{ orders: OrderBody[]; count: number }>(
        `/api/v1/orders?trader=${dan.address}`,
      );
      expect(all.count).toBe(3);
      expect(all.orders.map(({ orderHash }) => orderHash)).toEqual(hashes.toReversed());
      for (const order of all.orders) expectShape(order, OpenOrder);
      expect(all.orders[2]).toMatchObject({ trader: dan.address, price: 200_000, size: 1_000_000, status: 'open' });
      expect((await openOrders(dan)).map(({ orderHash }) => orderHash)).toEqual([hashes[1], hashes[0]]);
      const lower = await exchange.client.read(`/api/v1/orders?trader=${dan.address.toLowerCase()}`);
      expect(lower).toEqual(all);
      const path = `/api/v1/users/${dan.address}/orders`;
      expect(await exchange.client.read(`${path}?chain_id=31337`)).toEqual(all);
      expect(await exchange.client.read(`${path}?chain_id=1`)).toEqual({ orders: [], count: 0 });
    });

    it('finds any order that ever was by its hash, and none that was not', async () => {
      const { orderHash } = await exchange.client.order(ann, buy('0.2', '1'));
      const found = await findOrder(orderHash);
      expectShape(found.body, OpenOrder);
      expect(await findOrder(orderHash.toUpperCase().replace('0X', '0x'))).toMatchObject({ body: found.body });
      await exchange.client.delete(`/api/v1/orders/${orderHash}?marketId=${market.id}`);
      expect((await findOrder(orderHash)).body).toMatchObject({ status: 'cancelled', remainingSize: 1_000_000 });
      const unknown = `0x${'cd'.repeat(32)}`;
      expect(await findOrder(unknown)).toMatchObject({ status: 404, body: { code: 'order_not_found' } });
      const events = await exchange.client.get(`/api/v1/orders/${unknown}/events`);
      expect(events).toMatchObject({ status: 404, body: { code: 'order_not_found' } });
    });

    it('lists all events of an order that was filled in part and cancelled', async () => {
      const { orderHash } = await exchange.client.order(ann, sell('0.6', '5'));
      await exchange.client.order(ben, buy('0.6', '2'));
      await exchange.settled();
      await exchange.client.delete(`/api/v1/orders/${orderHash}?marketId=${market.id}`);
      const { events } = await exchange.client.read<{ events: LifeEvent[] }>(`/api/v1/orders/${orderHash}/events`);
      expect(events.map(({ type }) => type)).toEqual([
        'accepted',
        'filled',
        'submitted',
        'mined',
        'confirmed',
        'cancelled',
      ]);
      expect(events[1]).toMatchObject({ role: 'maker', counterparty: ben.address, size: 2_000_000, price: 600_000 });
      expect(events[5]).toMatchObject({ reason: 'user', remainingSize: 3_000_000 });
      expect(events.every(({ timestamp }) => Number.isInteger(timestamp))).toBe(true);
    });

    it('reports a permit that failed, which stops no settlement while wallets are funded automatically', async () => {
      const word = `0x${'12'.repeat(32)}`;
      const permitSignature = { nonce: 3, value: '5', deadline: 4_000_000_000, v: 27, r: word, s: word };
      const submission = await exchange.client.signOrder(ann, buy('0.4', '3'));
      const { status, body } = await exchange.client.post<OrderAnswerBody>('/api/v1/orders', {
        ...submission,
        permitSignature,
      });
      expect(status).toBe(200);
      await exchange.client.order(ben, sell('0.4', '3'));
      await exchange.settled();
      const permit = await waitFor('the permit is reported', async () => {
        const path = `/api/v1/orders/${body.orderHash}/events`;
        const { events } = await exchange.client.read<{ events: LifeEvent[] }>(path);
        return events.find(({ type }) => type === 'permit');
      });
      expect(permit).toMatchObject({ status: 'failed', reason: 'InvalidPermit()', txHash: null });
      expect((await findOrder(body.orderHash)).body).toMatchObject({ status: 'filled', filledSize: 3_000_000 });
    });
  });
});

describe('many orders at once', () => {
  testBulkOrders(
    () => exchange,
    async () => {
      exchange = await exchange.reopen();
    },
  );
});
