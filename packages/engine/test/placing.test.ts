// Placing and cancelling: which check fails first, and what the same order gets when it is submitted again.
import type { EngineOutput, OrderAnswer, PlaceOrder } from '@presage/protocol';
import { listMarket, TEST_MARKET, TRADERS } from '@presage/testkit';
import { describe, expect, it } from 'vitest';
import { Exchange, refusalIn, tradeIdOf } from './exchange.ts';

const ELSEWHERE = `0x${'99'.repeat(32)}` as const;
const CLOSED = `0x${'c1'.repeat(32)}` as const;

describe('a refused order', () => {
  /** The first row breaks everything; each next row fixes one fault and reaches the next check. */
  it('gets the first fault in the order of the checks', () => {
    const exchange = new Exchange();
    const { traders, clock } = exchange;
    const nonce = 77n;
    exchange.engine.apply(listMarket(clock.nowMs, { marketId: CLOSED }));
    for (const marketId of [TEST_MARKET, CLOSED])
      exchange.place(traders.aliceBuysYes({ price: '0.1', size: '1', nonce, marketId }));
    exchange.place(traders.bobSellsYes({ price: '0.60', size: '5' }));
    exchange.send({ type: 'close-market', marketId: CLOSED, reason: 'vanished' });

    const broken = {
      price: '0.70',
      size: '6',
      nonce,
      marketId: ELSEWHERE,
      expiration: clock.nowSeconds,
      postOnly: true,
      timeInForce: 'FOK',
    } as const;
    const rows = [
      [{}, 'market_not_found'],
      [{ marketId: CLOSED }, 'market_closed'],
      [{ marketId: TEST_MARKET }, 'nonce_already_used'],
      [{ nonce: 78n }, 'expiration_too_soon'],
      [{ expiration: clock.nowSeconds + 1 }, 'would_cross'],
      [{ postOnly: false }, 'fok_not_filled'],
      [{ size: '5' }, undefined],
    ] as const;
    let params = { ...broken } as Parameters<typeof traders.aliceBuysYes>[0];
    for (const [fixed, code] of rows) {
      params = { ...params, ...fixed };
      expect(refusalIn(exchange.send(traders.aliceBuysYes(params)))).toBe(code);
    }
  });

  it('changes nothing', () => {
    const exchange = new Exchange();
    const hash = exchange.engine.stateHash();
    exchange.send(exchange.traders.aliceBuysYes({ price: '0.5', size: '1', marketId: ELSEWHERE }));
    expect(exchange.engine.stateHash()).toBe(hash);
  });

  it('finds its market closed from the second of its expiration, before any tick', () => {
    const exchange = new Exchange({ expiration: 1_900_000_100 });
    exchange.clock.advanceMs(99_999);
    exchange.place(exchange.traders.aliceBuysYes({ price: '0.5', size: '1' }));
    exchange.clock.advanceMs(1);
    expect(refusalIn(exchange.send(exchange.traders.aliceBuysYes({ price: '0.5', size: '1' })))).toBe('market_closed');
  });
});

describe('a nonce', () => {
  it('belongs to one order of a trader in a market, open or final', () => {
    const exchange = new Exchange();
    const { traders } = exchange;
    const first = traders.aliceBuysYes({ price: '0.5', size: '1', nonce: 5n });
    exchange.place(first);
    expect(refusalIn(exchange.send(traders.aliceSellsNo({ price: '0.6', size: '1', nonce: 5n })))).toBe(
      'nonce_already_used',
    );
    exchange.cancel(first);
    expect(refusalIn(exchange.send(traders.aliceBuysYes({ price: '0.6', size: '1', nonce: 5n })))).toBe(
      'nonce_already_used',
    );
  });

  it('is free to other traders and in other markets', () => {
    const exchange = new Exchange();
    const { traders, clock } = exchange;
    exchange.engine.apply(listMarket(clock.nowMs, { marketId: ELSEWHERE }));
    exchange.place(
      traders.aliceBuysYes({ price: '0.5', size: '1', nonce: 5n }),
      traders.bobBuysYes({ price: '0.5', size: '1', nonce: 5n }),
      traders.aliceBuysYes({ price: '0.5', size: '1', nonce: 5n, marketId: ELSEWHERE }),
    );
    expect(exchange.engine.openOrders()).toHaveLength(3);
  });

  it('may be any uint64', () => {
    const exchange = new Exchange();
    const { traders } = exchange;
    const most = 2n ** 64n - 1n;
    for (const nonce of [0n, most, most - 1n]) exchange.place(traders.aliceBuysYes({ price: '0.5', size: '1', nonce }));
    expect(refusalIn(exchange.send(traders.aliceBuysYes({ price: '0.4', size: '1', nonce: most })))).toBe(
      'nonce_already_used',
    );
  });
});

describe('the same signed order again', () => {
  function replayed(outputs: readonly EngineOutput[]): OrderAnswer | undefined {
    return outputs[0]?.type === 'order-replayed' ? outputs[0].answer : undefined;
  }

  it('gets its first answer, whatever its current state', () => {
    const exchange = new Exchange();
    const { traders } = exchange;
    exchange.place(traders.aliceSellsYes({ price: '0.5', size: '4' }));
    const order = traders.bobBuysYes({ price: '0.5', size: '10' });
    const first = exchange.answerTo(order);
    expect(first).toEqual({
      orderHash: order.orderHash,
      timeMs: order.timeMs,
      matches: 1,
      filledSize: 4_000_000,
      remainingSize: 6_000_000,
      orderStatus: 'open',
      trades: [{ id: 4, tradeId: tradeIdOf(1), price: 500_000, size: 4_000_000 }],
    });
    exchange.place(traders.carolSellsYes({ price: '0.5', size: '1' }));
    exchange.fail(1, 'seller');
    exchange.clock.advanceSeconds(5);
    exchange.cancel(order);
    expect(replayed(exchange.send(order))).toEqual(first);
    expect(exchange.answerTo(order)).toEqual(first);
  });

  it.each([
    ['passive', '0.4', {}, 'open', 1_000_000],
    ['filled', '0.5', {}, 'filled', 0],
    ['half-filled IOC', '0.5', { size: '5', timeInForce: 'IOC' }, 'cancelled', 1_000_000],
    ['self-stopped', '0.6', { size: '5', selfTradePrevention: 'cancel_incoming' }, 'cancelled', 1_000_000],
  ] as const)('gets the very answer of its first step: %s', (_name, price, params, orderStatus, remainingSize) => {
    const exchange = new Exchange();
    const { traders } = exchange;
    exchange.place(
      traders.aliceSellsYes({ price: '0.5', size: '4' }),
      traders.bobSellsYes({ price: '0.6', size: '4' }),
    );
    const size = price === '0.4' ? '1' : '4';
    const order = traders.bobBuysYes({ price, size, ...params });
    const first = exchange.answerTo(order);
    expect(first).toMatchObject({ orderStatus, remainingSize });
    expect(replayed(exchange.send(order))).toEqual(first);
  });

  it('comes before every other check', () => {
    const exchange = new Exchange();
    const order = exchange.traders.aliceBuysYes({ price: '0.5', size: '1' });
    exchange.place(order);
    exchange.clock.advanceSeconds(86_400 - 1);
    expect(replayed(exchange.send(order))).toMatchObject({ orderStatus: 'open' });
  });

  it('is another order when its signature differs, and then the nonce is used', () => {
    const exchange = new Exchange();
    const order = exchange.traders.aliceBuysYes({ price: '0.5', size: '1' });
    exchange.place(order);
    const forged: PlaceOrder = { ...order, signature: `0x${'ab'.repeat(65)}` };
    expect(refusalIn(exchange.send(forged))).toBe('nonce_already_used');
  });
});

describe('cancelling', () => {
  it('takes the order off the book with what is left', () => {
    const exchange = new Exchange();
    const { traders } = exchange;
    const ask = traders.aliceSellsYes({ price: '0.5', size: '10' });
    exchange.place(ask, traders.bobBuysYes({ price: '0.5', size: '4' }));
    expect(exchange.show(() => exchange.cancel(ask))).toMatchInlineSnapshot(`
      "
        ask 0.5           6   alice 6
        -----------------

        alice's ask at 0.5 cancelled, 6 left: user

        -----------------
      "
    `);
    expect(exchange.engine.order(ask.orderHash)).toMatchObject({ status: 'cancelled', filledSize: 4_000_000 });
  });

  it('is refused, in this order: unknown, not yours, already final', () => {
    const exchange = new Exchange();
    const { traders } = exchange;
    const order = traders.aliceBuysYes({ price: '0.5', size: '1' });
    exchange.place(order);
    const { orderHash } = order;
    const cancel = { type: 'cancel-order', orderHash, reason: 'user' } as const;
    expect(refusalIn(exchange.send({ ...cancel, marketId: ELSEWHERE, trader: TRADERS.bob }))).toBe('order_not_found');
    expect(refusalIn(exchange.send({ ...cancel, marketId: TEST_MARKET, orderHash: ELSEWHERE }))).toBe(
      'order_not_found',
    );
    expect(refusalIn(exchange.send({ ...cancel, marketId: TEST_MARKET, trader: TRADERS.bob }))).toBe('order_not_yours');
    expect(exchange.send({ ...cancel, marketId: TEST_MARKET, trader: TRADERS.alice })).toMatchObject([
      { reason: 'user' },
    ]);
    expect(refusalIn(exchange.send({ ...cancel, marketId: TEST_MARKET, trader: TRADERS.bob }))).toBe('order_not_yours');
    expect(exchange.send({ ...cancel, marketId: TEST_MARKET })).toMatchObject([
      { code: 'order_not_open', details: { status: 'cancelled' } },
    ]);
  });

  it('is refused for an expired order, even before a tick', () => {
    const exchange = new Exchange();
    const order = exchange.traders.aliceBuysYes({ price: '0.5', size: '1' });
    exchange.place(order);
    exchange.clock.advanceSeconds(86_400);
    expect(exchange.cancel(order)).toMatchObject([{ code: 'order_not_open', details: { status: 'expired' } }]);
  });

  it('takes all orders of one wallet, oldest first, one step in each market that has some', () => {
    const exchange = new Exchange();
    const { traders, clock } = exchange;
    const [second, empty] = [`0x${'02'.repeat(32)}`, `0x${'01'.repeat(32)}`] as const;
    for (const marketId of [second, empty]) exchange.engine.apply(listMarket(clock.nowMs, { marketId }));
    exchange.place(
      traders.aliceBuysYes({ price: '0.5', size: '1' }),
      traders.bobBuysYes({ price: '0.5', size: '1' }),
      traders.aliceSellsNo({ price: '0.9', size: '2' }),
      traders.aliceBuysYes({ price: '0.5', size: '3', marketId: second }),
    );
    const events = exchange.send({ type: 'cancel-orders', trader: TRADERS.alice, reason: 'heartbeat_lapsed' });
    expect(events).toMatchObject([
      { marketId: second, step: 3, remainingSize: 3_000_000, reason: 'heartbeat_lapsed' },
      { marketId: TEST_MARKET, step: 5, remainingSize: 1_000_000 },
      { marketId: TEST_MARKET, step: 5, remainingSize: 2_000_000 },
    ]);
    expect(exchange.engine.openOrders()).toHaveLength(1);
    expect(exchange.engine.market(empty)?.step).toBe(1);
  });

  it('of all orders on one chain leaves those on the others', () => {
    const exchange = new Exchange();
    const { traders, clock } = exchange;
    const elsewhere = `0x${'02'.repeat(32)}` as const;
    exchange.engine.apply(listMarket(clock.nowMs, { marketId: elsewhere, chainId: 5 }));
    exchange.place(
      traders.aliceBuysYes({ price: '0.5', size: '1' }),
      traders.aliceBuysYes({ price: '0.5', size: '3', marketId: elsewhere }),
    );
    const all = { type: 'cancel-orders', trader: TRADERS.alice, reason: 'cancelled_on_chain' } as const;
    expect(exchange.send({ ...all, chainId: 5 })).toMatchObject([{ marketId: elsewhere, remainingSize: 3_000_000 }]);
    expect(exchange.send({ ...all, chainId: 5 })).toEqual([]);
    expect(exchange.engine.openOrders()).toHaveLength(1);
  });

  it('of all orders in one market leaves the others, and finds nothing the second time', () => {
    const exchange = new Exchange();
    const { traders } = exchange;
    exchange.place(traders.aliceBuysYes({ price: '0.5', size: '1' }), traders.bobBuysYes({ price: '0.5', size: '1' }));
    const all = { type: 'cancel-orders', marketId: TEST_MARKET, trader: TRADERS.alice, reason: 'user' } as const;
    expect(exchange.send(all)).toHaveLength(1);
    expect(exchange.send(all)).toEqual([]);
    expect(refusalIn(exchange.send({ ...all, marketId: ELSEWHERE }))).toBe('market_not_found');
  });
});

describe('steps', () => {
  it('count the commands that did something, and all events of one command share one', () => {
    const exchange = new Exchange();
    const { traders } = exchange;
    exchange.place(
      traders.aliceSellsYes({ price: '0.5', size: '1' }),
      traders.bobSellsYes({ price: '0.5', size: '1' }),
    );
    exchange.send(traders.carolBuysYes({ price: '0.6', size: '1', postOnly: true }));
    const events = exchange.send(traders.carolBuysYes({ price: '0.5', size: '3', timeInForce: 'IOC' }));
    expect(events.map((event) => 'step' in event && event.step)).toEqual([4, 4, 4, 4]);
    expect(events.map((event) => event.type)).toEqual([
      'order-accepted',
      'trade-matched',
      'trade-matched',
      'order-cancelled',
    ]);
  });
});
