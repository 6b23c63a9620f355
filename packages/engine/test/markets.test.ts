// Markets open and close, orders expire over time, and the engine drops what it no longer needs.
import { CONFIRMED_KEPT_MS, Engine, type EngineSize } from '@presage/engine';
import { BUY, type MarketId, SELL, YES } from '@presage/protocol';
import { drawLadder, listMarket, TEST_MARKET, TRADERS } from '@presage/testkit';
import { describe, expect, it } from 'vitest';
import { Exchange, refusalIn } from './exchange.ts';

const OTHER = `0x${'02'.repeat(32)}` as const;
const close = { type: 'close-market', marketId: TEST_MARKET, reason: 'vanished' } as const;

describe('a market', () => {
  it('is listed once', () => {
    const exchange = new Exchange();
    expect(refusalIn(exchange.engine.apply(listMarket(exchange.clock.nowMs)))).toBe('market_already_listed');
    expect(exchange.engine.markets()).toMatchObject([{ status: 'open', step: 1, tradeCount: 0 }]);
  });

  it('closes once, and its resting orders are cancelled, oldest first', () => {
    const exchange = new Exchange();
    const { traders } = exchange;
    exchange.place(traders.aliceBuysYes({ price: '0.4', size: '1' }), traders.bobSellsYes({ price: '0.6', size: '2' }));
    expect(exchange.show(close)).toMatchInlineSnapshot(`
      "
        ask 0.6           2   bob 2
        -----------------
        bid 0.4           1   alice 1

        market closed: vanished
        alice's bid at 0.4 cancelled, 1 left: market_closed
        bob's ask at 0.6 cancelled, 2 left: market_closed

        -----------------
      "
    `);
    expect(exchange.engine.market(TEST_MARKET)).toMatchObject({ status: 'closed', closeReason: 'vanished' });
    expect(refusalIn(exchange.send(close))).toBe('market_closed');
    expect(refusalIn(exchange.send({ ...close, marketId: OTHER }))).toBe('market_not_found');
    expect(refusalIn(exchange.send(traders.aliceBuysYes({ price: '0.4', size: '1' })))).toBe('market_closed');
  });

  it('closes at the first tick at or after its expiration', () => {
    const exchange = new Exchange({ expiration: 1_900_000_100 });
    const { traders } = exchange;
    exchange.place(
      traders.aliceBuysYes({ price: '0.4', size: '1' }),
      traders.bobBuysYes({ price: '0.4', size: '2', expiration: 1_900_000_100 }),
    );
    exchange.clock.advanceMs(99_999);
    expect(exchange.tick()).toEqual([]);
    exchange.clock.advanceMs(5_000);
    expect(exchange.show(() => exchange.tick())).toMatchInlineSnapshot(`
      "
        -----------------
        bid 0.4           3   alice 1, bob 2

        bob's bid at 0.4 cancelled, 2 left: expired
        market closed: expired
        alice's bid at 0.4 cancelled, 1 left: market_closed

        -----------------
      "
    `);
    expect(exchange.tick()).toEqual([]);
  });
});

describe('a tick', () => {
  it('removes expired orders, oldest first, market by market', () => {
    const exchange = new Exchange();
    const { traders, clock } = exchange;
    exchange.engine.apply(listMarket(clock.nowMs, { marketId: OTHER }));
    const soon = clock.nowSeconds + 60;
    exchange.place(
      traders.aliceBuysYes({ price: '0.4', size: '1', expiration: soon + 1 }),
      traders.bobBuysYes({ price: '0.3', size: '2', expiration: soon }),
      traders.carolBuysYes({ price: '0.3', size: '3', expiration: soon + 2 }),
      traders.carolBuysYes({ price: '0.3', size: '4', expiration: soon, marketId: OTHER }),
    );
    clock.advanceSeconds(61);
    expect(exchange.tick()).toMatchObject([
      { marketId: OTHER, step: 3, remainingSize: 4_000_000, reason: 'expired' },
      { marketId: TEST_MARKET, step: 5, remainingSize: 1_000_000, reason: 'expired' },
      { marketId: TEST_MARKET, step: 5, remainingSize: 2_000_000, reason: 'expired' },
    ]);
    expect(exchange.tick()).toEqual([]);
    expect(drawLadder(exchange.engine)).toContain('carol 3');
  });

  it('removes an expired order that other commands have skipped', () => {
    const exchange = new Exchange();
    const { traders, clock } = exchange;
    exchange.place(traders.aliceBuysYes({ price: '0.4', size: '1', expiration: clock.nowSeconds + 1 }));
    clock.advanceSeconds(2);
    exchange.place(traders.bobBuysYes({ price: '0.4', size: '1' }));
    expect(exchange.tick()).toMatchObject([{ trader: TRADERS.alice, reason: 'expired' }]);
  });
});

describe('removal from memory', () => {
  /** Any step makes the engine drop what is due by its time. */
  function afterAnyStep(exchange: Exchange): EngineSize {
    const { nowMs } = exchange.clock;
    const marketId: MarketId = `0x${nowMs.toString(16).padStart(64, '0')}` as const;
    exchange.engine.apply(listMarket(nowMs, { marketId }));
    return exchange.engine.size();
  }

  it('keeps a final order and its nonce until its expiration, and no longer', () => {
    const exchange = new Exchange();
    const { traders, clock } = exchange;
    const order = traders.aliceBuysYes({ price: '0.4', size: '1', nonce: 5n, expiration: clock.nowSeconds + 60 });
    exchange.place(order);
    exchange.cancel(order);
    clock.advanceMs(59_999);
    expect(afterAnyStep(exchange).rememberedOrders).toBe(1);
    clock.advanceMs(1);
    expect(afterAnyStep(exchange).rememberedOrders).toBe(0);
    expect(refusalIn(exchange.cancel(order))).toBe('order_not_found');
    exchange.place(traders.aliceBuysYes({ price: '0.4', size: '1', nonce: 5n }));
  });

  it('frees the nonce by time even without a step in between', () => {
    const exchange = new Exchange();
    const { traders, clock } = exchange;
    const order = traders.aliceBuysYes({ price: '0.4', size: '1', nonce: 5n, expiration: clock.nowSeconds + 60 });
    exchange.place(order);
    exchange.cancel(order);
    clock.advanceSeconds(60);
    exchange.place(traders.aliceBuysYes({ price: '0.4', size: '1', nonce: 5n }));
    expect(exchange.engine.size().rememberedOrders).toBe(1);
  });

  it('keeps the nonce of an order that traded, or was cancelled on chain, until the market closes', () => {
    const exchange = new Exchange();
    const { traders, clock } = exchange;
    const expiration = clock.nowSeconds + 60;
    const traded = traders.aliceBuysYes({ price: '0.4', size: '1', nonce: 5n, expiration });
    const burnt = traders.aliceBuysYes({ price: '0.3', size: '1', nonce: 6n, expiration });
    exchange.place(traded, burnt, traders.bobSellsYes({ price: '0.4', size: '1', expiration }));
    const { orderHash } = burnt;
    exchange.send({ type: 'cancel-order', marketId: TEST_MARKET, orderHash, reason: 'cancelled_on_chain' });
    exchange.move(1, 'submitted', 'mined', 'confirmed');
    clock.advanceMs(CONFIRMED_KEPT_MS);
    expect(afterAnyStep(exchange)).toMatchObject({ rememberedOrders: 0, rememberedTrades: 0 });
    for (const nonce of [5n, 6n]) {
      const again = traders.aliceBuysYes({ price: '0.4', size: '1', nonce });
      expect(refusalIn(exchange.send(again))).toBe('nonce_already_used');
    }
    exchange.place(traders.aliceBuysYes({ price: '0.4', size: '1', nonce: 7n }));
  });

  it('keeps the orders of an unsettled trade, even after expiry and close', () => {
    const exchange = new Exchange();
    const { traders, clock } = exchange;
    const expiration = clock.nowSeconds + 60;
    const ask = traders.bobSellsYes({ price: '0.4', size: '1', expiration });
    exchange.place(ask, traders.aliceBuysYes({ price: '0.4', size: '1', expiration }));
    clock.advanceSeconds(3_600);
    exchange.send(close);
    expect(afterAnyStep(exchange)).toMatchObject({ rememberedOrders: 2, rememberedTrades: 1 });
    exchange.fail(1, 'operator');
    clock.advanceMs(1);
    expect(afterAnyStep(exchange)).toMatchObject({ rememberedOrders: 0, rememberedTrades: 0 });
  });

  it('keeps a confirmed trade as long as a reorg may undo it', () => {
    const exchange = new Exchange();
    const { traders, clock } = exchange;
    exchange.place(traders.bobSellsYes({ price: '0.4', size: '1' }), traders.aliceBuysYes({ price: '0.4', size: '1' }));
    exchange.move(1, 'submitted', 'mined', 'confirmed');
    clock.advanceMs(CONFIRMED_KEPT_MS - 1);
    exchange.move(1, 'retrying', 'submitted', 'mined', 'confirmed');
    clock.advanceMs(CONFIRMED_KEPT_MS - 1);
    expect(afterAnyStep(exchange).rememberedTrades).toBe(1);
    clock.advanceMs(1);
    expect(refusalIn(exchange.move(1, 'retrying'))).toBe('trade_not_found');
    expect(afterAnyStep(exchange).rememberedTrades).toBe(0);
  });

  it('drops everything of a closed market that no trade holds', () => {
    const exchange = new Exchange();
    const { traders } = exchange;
    const gone = traders.aliceBuysYes({ price: '0.3', size: '1' });
    exchange.place(gone, traders.bobBuysYes({ price: '0.4', size: '1' }));
    exchange.cancel(gone);
    exchange.send(close);
    exchange.clock.advanceMs(1);
    expect(afterAnyStep(exchange)).toMatchObject({ openOrders: 0, rememberedOrders: 0 });
    expect(refusalIn(exchange.send(gone))).toBe('market_closed');
  });

  it('keeps one line for each market that traded and closed, however many wallets and orders it had', () => {
    const exchange = new Exchange();
    const { traders, clock, engine } = exchange;
    const before = afterAnyStep(exchange);
    for (let round = 0; round < 40; round++) {
      const marketId = `0x${(round + 1).toString(16).padStart(4, '0').repeat(16)}` as MarketId;
      engine.apply(listMarket(clock.nowMs, { marketId, expiration: clock.nowSeconds + 900 }));
      exchange.place(
        traders.aliceSellsYes({ marketId, price: '0.4', size: '3' }),
        traders.bobBuysYes({ marketId, price: '0.4', size: '1' }),
        traders.carolBuysNo({ marketId, price: '0.2', size: '5' }),
      );
      const { tradeId } = engine.unsettledTrades({ marketId })[0]!;
      for (const stage of ['submitted', 'mined', 'confirmed'] as const) {
        exchange.send({ type: 'move-trade', marketId, tradeId, stage });
      }
      clock.advanceSeconds(900);
      exchange.tick();
    }
    clock.advanceMs(CONFIRMED_KEPT_MS);
    // The step for looking lists a market of its own.
    const { markets, ...rest } = afterAnyStep(exchange);
    expect(rest).toEqual({ openOrders: 0, rememberedOrders: 0, rememberedTrades: 0, accounts: 0 });
    expect(markets).toBe(before.markets + 40 + 1);
    const lines = [...engine.checkpointLines()];
    expect(lines).toHaveLength(1 + markets);
    expect(Engine.restore(lines).stateHash()).toBe(engine.stateHash());
  });
});

describe('reading', () => {
  it('lists open orders of a wallet or a market, newest first', () => {
    const exchange = new Exchange();
    const { traders } = exchange;
    const orders = [
      traders.aliceBuysYes({ price: '0.4', size: '1' }),
      traders.bobBuysYes({ price: '0.4', size: '1' }),
      traders.aliceSellsNo({ price: '0.4', size: '1' }),
    ] as const;
    exchange.place(...orders);
    const hashes = (filter: object) => exchange.engine.openOrders(filter).map((order) => order.signed.orderHash);
    expect(hashes({})).toEqual([orders[2], orders[1], orders[0]].map((order) => order.orderHash));
    expect(hashes({ trader: TRADERS.alice })).toEqual([orders[2].orderHash, orders[0].orderHash]);
    expect(hashes({ marketId: OTHER })).toEqual([]);
  });

  it('answers an unknown market with an empty book', () => {
    const { engine } = new Exchange();
    expect(engine.levels(OTHER, YES, BUY)).toEqual([]);
    expect(engine.bestPrice(OTHER, YES, SELL)).toBe(0);
    expect(engine.levelSize(OTHER, YES, SELL, 500_000)).toBe(0);
    expect(engine.bookHash(OTHER)).toBe('0000000000000000');
    expect(engine.market(OTHER)).toBeUndefined();
    expect(engine.unsettledTrades({ marketId: OTHER })).toEqual([]);
  });

  it('hashes one book or both as docs/protocol.md defines', () => {
    const exchange = new Exchange();
    const { traders, engine } = exchange;
    exchange.place(
      traders.aliceBuysYes({ price: '0.4', size: '1' }),
      traders.aliceSellsNo({ price: '0.7', size: '2' }),
    );
    // First 8 bytes of SHA-256 of `0:0:400000:1000000` and of `1:1:700000:2000000`.
    expect(engine.bookHash(TEST_MARKET, 0)).toMatchInlineSnapshot(`"dbf325acee26b86f"`);
    expect(engine.bookHash(TEST_MARKET, 1)).toMatchInlineSnapshot(`"89b6fb520d43e797"`);
    const sum = BigInt(`0x${engine.bookHash(TEST_MARKET, 0)}`) + BigInt(`0x${engine.bookHash(TEST_MARKET, 1)}`);
    expect(engine.bookHash(TEST_MARKET)).toBe(BigInt.asUintN(64, sum).toString(16).padStart(16, '0'));
  });

  it('says what an order would do without doing it', () => {
    const exchange = new Exchange();
    const { traders, engine } = exchange;
    exchange.place(traders.aliceSellsYes({ price: '0.4', size: '1' }));
    const hash = engine.stateHash();
    expect(engine.preview(traders.bobBuysYes({ price: '0.4', size: '1' })).map((event) => event.type)).toEqual([
      'order-accepted',
      'trade-matched',
    ]);
    expect(engine.stateHash()).toBe(hash);
  });

  it('says it also while the clock is behind the last step, as the writer would decide it', () => {
    const exchange = new Exchange();
    const { traders, engine } = exchange;
    exchange.place(traders.aliceSellsYes({ price: '0.4', size: '1' }));
    const order = traders.bobBuysYes({ price: '0.4', size: '1' });
    const [accepted] = engine.preview({ ...order, timeMs: order.timeMs - 5_000 });
    expect(accepted).toMatchObject({ type: 'order-accepted', timeMs: order.timeMs });
    expect(() => engine.decide({ ...order, timeMs: order.timeMs - 5_000 })).toThrow(RangeError);
  });
});

describe('an order that has expired', () => {
  it('is taken off the book by the next tick, though its last remembered trade was forgotten before', () => {
    const exchange = new Exchange();
    const { clock, traders } = exchange;
    const order = traders.aliceBuysYes({ price: '0.5', size: '10', expiration: clock.nowSeconds + 600 });
    exchange.place(order, traders.bobSellsYes({ price: '0.5', size: '4' }));
    exchange.move(1, 'submitted', 'mined', 'confirmed');
    // Each of the two is noticed by a step of its own, and neither is a tick.
    for (const seconds of [601, 300]) {
      clock.advanceMs(seconds * 1_000);
      exchange.place(traders.carolBuysYes({ price: '0.1', size: '1' }));
    }
    expect(exchange.tick()).toMatchObject([
      { type: 'order-cancelled', orderHash: order.orderHash, reason: 'expired', remainingSize: 6_000_000 },
    ]);
  });
});
