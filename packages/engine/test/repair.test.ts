// Repair of a failed fill in ladder pictures (docs/protocol.md): which order is cancelled, which returns, and where.
import type { EngineOutput, SelfTradePrevention } from '@presage/protocol';
import { TEST_MARKET } from '@presage/testkit';
import { describe, expect, it } from 'vitest';
import { Exchange, refusalIn, tradeIdOf } from './exchange.ts';

/** Alice's ask of 30 was taken for 10 by Bob's bid, which is filled; Carol came to the same price after Alice. */
function openTraded() {
  const exchange = new Exchange();
  const { traders } = exchange;
  const ask = traders.aliceSellsYes({ price: '0.50', size: '30' });
  const bid = traders.bobBuysYes({ price: '0.55', size: '10' });
  exchange.place(ask, bid);
  return { exchange, traders, ask, bid };
}

describe('when the fault is one side’s', () => {
  it('the blamed order loses what is left of it, the innocent one regains its size and rests', () => {
    const { exchange, ask, bid } = openTraded();
    expect(exchange.show(() => exchange.fail(1, 'seller'))).toMatchInlineSnapshot(`
      "
        ask 0.5          20   alice 20
        -----------------

        trade 5e5e5e5e5e5e5e5e-1 failed, fault of seller: no balance
        alice's ask at 0.5 cancelled, 20 left: settlement_fault
        bob gets back 10

        -----------------
        bid 0.55         10   bob 10
      "
    `);
    expect([exchange.statusOf(ask), exchange.statusOf(bid)]).toEqual(['cancelled', 'open']);
  });

  it('the innocent order first matches what has arrived since, at its own limit and as the taker', () => {
    const { exchange, traders } = openTraded();
    exchange.place(
      traders.carolSellsYes({ price: '0.52', size: '4' }),
      traders.carolSellsYes({ price: '0.56', size: '4' }),
    );
    expect(exchange.show(() => exchange.fail(1, 'seller'))).toMatchInlineSnapshot(`
      "
        ask 0.56          4   carol 4
        ask 0.52          4   carol 4
        ask 0.5          20   alice 20
        -----------------

        trade 5e5e5e5e5e5e5e5e-1 failed, fault of seller: no balance
        alice's ask at 0.5 cancelled, 20 left: settlement_fault
        bob gets back 10
        bob takes 4 at 0.52 from carol

        ask 0.56          4   carol 4
        -----------------
        bid 0.55          6   bob 6
      "
    `);
  });

  it('the rest keeps its original time priority', () => {
    const { exchange, traders } = openTraded();
    exchange.place(
      traders.carolBuysYes({ price: '0.45', size: '1' }),
      traders.carolSellsYes({ price: '0.50', size: '5' }),
      traders.daveSellsYes({ price: '0.50', size: '6' }),
      traders.daveBuysYes({ price: '0.50', size: '20' }),
    );
    expect(exchange.show(() => exchange.fail(1, 'buyer'))).toMatchInlineSnapshot(`
      "
        ask 0.5          11   carol 5, dave 6
        -----------------
        bid 0.45          1   carol 1

        trade 5e5e5e5e5e5e5e5e-1 failed, fault of buyer: no balance
        bob's bid at 0.55 cancelled, 0 left: settlement_fault
        alice gets back 10

        ask 0.5          21   alice 10, carol 5, dave 6
        -----------------
        bid 0.45          1   carol 1
      "
    `);
  });

  it('an order that still rests gets its size back in place', () => {
    const { exchange, traders, ask } = openTraded();
    exchange.place(traders.carolSellsYes({ price: '0.50', size: '5' }));
    expect(exchange.show(() => exchange.fail(1, 'buyer'))).toMatchInlineSnapshot(`
      "
        ask 0.5          25   alice 20, carol 5
        -----------------

        trade 5e5e5e5e5e5e5e5e-1 failed, fault of buyer: no balance
        bob's bid at 0.55 cancelled, 0 left: settlement_fault
        alice gets back 10

        ask 0.5          35   alice 30, carol 5
        -----------------
      "
    `);
    expect(exchange.engine.order(ask.orderHash)).toMatchObject({ filledSize: 0, remainingSize: 30_000_000 });
  });

  it('a post-only order that returns may take: resting across the other side would be worse', () => {
    const exchange = new Exchange();
    const { traders } = exchange;
    exchange.place(
      traders.aliceBuysYes({ price: '0.55', size: '10', postOnly: true }),
      traders.bobSellsYes({ price: '0.55', size: '10' }),
      traders.carolSellsYes({ price: '0.54', size: '3' }),
    );
    expect(exchange.show(() => exchange.fail(1, 'seller'))).toMatchInlineSnapshot(`
      "
        ask 0.54          3   carol 3
        -----------------

        trade 5e5e5e5e5e5e5e5e-1 failed, fault of seller: no balance
        bob's ask at 0.55 cancelled, 0 left: settlement_fault
        alice gets back 10
        alice takes 3 at 0.54 from carol

        -----------------
        bid 0.55          7   alice 7
      "
    `);
  });

  function openSelfMeeting(selfTradePrevention: SelfTradePrevention) {
    const exchange = new Exchange();
    const { traders } = exchange;
    exchange.place(
      traders.bobSellsYes({ price: '0.50', size: '10' }),
      traders.aliceBuysYes({ price: '0.55', size: '10', selfTradePrevention }),
      traders.aliceSellsYes({ price: '0.53', size: '2' }),
      traders.carolSellsYes({ price: '0.54', size: '2' }),
    );
    return exchange;
  }

  it('a returning order with cancel_resting takes its wallet’s resting order off and goes on', () => {
    const exchange = openSelfMeeting('cancel_resting');
    expect(exchange.show(() => exchange.fail(1, 'seller'))).toMatchInlineSnapshot(`
      "
        ask 0.54          2   carol 2
        ask 0.53          2   alice 2
        -----------------

        trade 5e5e5e5e5e5e5e5e-1 failed, fault of seller: no balance
        bob's ask at 0.5 cancelled, 0 left: settlement_fault
        alice gets back 10
        alice's ask at 0.53 cancelled, 2 left: self_trade
        alice takes 2 at 0.54 from carol

        -----------------
        bid 0.55          8   alice 8
      "
    `);
  });

  it('a returning order with cancel_incoming goes when it meets its own wallet', () => {
    const exchange = openSelfMeeting('cancel_incoming');
    expect(exchange.show(() => exchange.fail(1, 'seller'))).toMatchInlineSnapshot(`
      "
        ask 0.54          2   carol 2
        ask 0.53          2   alice 2
        -----------------

        trade 5e5e5e5e5e5e5e5e-1 failed, fault of seller: no balance
        bob's ask at 0.5 cancelled, 0 left: settlement_fault
        alice gets back 10
        alice's bid at 0.55 cancelled, 10 left: self_trade

        ask 0.54          2   carol 2
        ask 0.53          2   alice 2
        -----------------
      "
    `);
  });

  it('other trades of both orders stay as they are', () => {
    const { exchange, traders, ask } = openTraded();
    exchange.place(traders.daveBuysYes({ price: '0.50', size: '20' }));
    exchange.fail(1, 'buyer');
    expect(exchange.engine.unsettledTrades()).toMatchObject([{ size: 20_000_000, stage: 'matched' }]);
    expect(exchange.engine.order(ask.orderHash)).toMatchObject({ filledSize: 20_000_000, remainingSize: 10_000_000 });
  });

  it('buyer and seller may be one wallet: the order is blamed, not the wallet', () => {
    const exchange = new Exchange();
    const { traders } = exchange;
    exchange.place(
      traders.aliceSellsYes({ price: '0.50', size: '10' }),
      traders.aliceBuysYes({ price: '0.50', size: '4' }),
    );
    expect(exchange.show(() => exchange.fail(1, 'seller'))).toMatchInlineSnapshot(`
      "
        ask 0.5           6   alice 6
        -----------------

        trade 5e5e5e5e5e5e5e5e-1 failed, fault of seller: no balance
        alice's ask at 0.5 cancelled, 6 left: settlement_fault
        alice gets back 4

        -----------------
        bid 0.5           4   alice 4
      "
    `);
  });

  it('an order once blamed never returns, though it is innocent of a later failure', () => {
    const { exchange, traders, bid } = openTraded();
    const other = traders.carolBuysYes({ price: '0.50', size: '20' });
    exchange.place(other);
    expect(exchange.fail(1, 'seller')).toContainEqual(
      expect.objectContaining({ type: 'order-cancelled', remainingSize: 0, reason: 'settlement_fault' }),
    );
    expect(exchange.fail(2, 'buyer').map((event) => event.type)).toEqual(['trade-failed', 'order-cancelled']);
    expect(exchange.statusOf(bid)).toBe('open');
    expect(exchange.statusOf(other)).toBe('cancelled');
  });
});

describe('an innocent order does not return', () => {
  const kindsOf = (outputs: EngineOutput[]) =>
    outputs.map((output) => (output.type === 'order-cancelled' ? output.reason : output.type));

  it.each(['IOC', 'FOK'] as const)('when it was %s', (timeInForce) => {
    const exchange = new Exchange();
    const { traders } = exchange;
    const bid = traders.bobBuysYes({ price: '0.50', size: '5', timeInForce });
    exchange.place(traders.aliceSellsYes({ price: '0.50', size: '10' }), bid);
    expect(kindsOf(exchange.fail(1, 'seller'))).toEqual(['trade-failed', 'settlement_fault', 'immediate_or_cancel']);
    expect(exchange.engine.order(bid.orderHash)).toMatchObject({ status: 'cancelled', filledSize: 0 });
  });

  it('when its owner has cancelled it', () => {
    const { exchange, ask } = openTraded();
    exchange.cancel(ask);
    expect(kindsOf(exchange.fail(1, 'buyer'))).toEqual(['trade-failed', 'settlement_fault']);
    expect(exchange.statusOf(ask)).toBe('cancelled');
  });

  it('when it has expired, ticked or not', () => {
    const { exchange, ask } = openTraded();
    exchange.clock.advanceSeconds(86_400);
    expect(kindsOf(exchange.fail(1, 'buyer'))).toEqual(['trade-failed', 'settlement_fault', 'expired']);
    expect(exchange.statusOf(ask)).toBe('expired');
  });

  it('when the market has closed: what matched before settles or fails after it', () => {
    const { exchange, bid } = openTraded();
    exchange.send({ type: 'close-market', marketId: TEST_MARKET, reason: 'vanished' });
    expect(exchange.statusOf(bid)).toBe('filled');
    expect(kindsOf(exchange.fail(1, 'seller'))).toEqual(['trade-failed', 'market_closed']);
    expect(exchange.statusOf(bid)).toBe('cancelled');
  });
});

describe('when the fault is the operator’s or the chain’s', () => {
  it.each(['operator', 'chain'] as const)('fault of %s: neither side returns and both remainders go', (party) => {
    const { exchange, ask, bid } = openTraded();
    const cancels = exchange.fail(1, party).filter((event) => event.type === 'order-cancelled');
    expect(cancels).toMatchObject([
      { orderHash: ask.orderHash, remainingSize: 20_000_000, reason: 'settlement_failed' },
      { orderHash: bid.orderHash, remainingSize: 0, reason: 'settlement_failed' },
    ]);
    expect(exchange.engine.openOrders()).toEqual([]);
    expect([exchange.statusOf(ask), exchange.statusOf(bid)]).toEqual(['cancelled', 'cancelled']);
  });

  it('an order that the chain has filled already ends without blame, and the other regains its size', () => {
    const { exchange, ask, bid } = openTraded();
    const outputs = exchange.failOverfilled(1, 'seller');
    expect(outputs).toMatchObject([
      { type: 'trade-failed', faultParty: 'chain', overfilled: 'seller' },
      { type: 'order-cancelled', orderHash: ask.orderHash, remainingSize: 20_000_000, reason: 'settlement_fault' },
      { type: 'order-restored', orderHash: bid.orderHash, size: 10_000_000 },
    ]);
    expect([exchange.statusOf(ask), exchange.statusOf(bid)]).toEqual(['cancelled', 'open']);
  });
});

describe('a trade moves', () => {
  it('from matched to confirmed, back on a reorg, and forward again', () => {
    const { exchange } = openTraded();
    const moves = exchange.move(1, 'submitted', 'mined', 'retrying', 'submitted', 'mined', 'confirmed', 'retrying');
    expect(moves.map((move) => move.type)).toEqual(Array(7).fill('trade-moved'));
    expect(exchange.engine.unsettledTrades()).toMatchObject([{ stage: 'retrying' }]);
  });

  it('keeps its settlement data until newer data arrives', () => {
    const { exchange } = openTraded();
    const tradeId = tradeIdOf(1);
    const settlement = { transactionHash: `0x${'7f'.repeat(32)}` as const, batchIndex: 2, isBatch: true, attempt: 1 };
    exchange.send({ type: 'move-trade', marketId: TEST_MARKET, tradeId, stage: 'submitted', settlement });
    exchange.move(1, 'retrying');
    expect(exchange.engine.trade(TEST_MARKET, tradeId)).toMatchObject({ stage: 'retrying', settlement });
  });

  it.each([
    [['mined'], 'matched', 'mined'],
    [['submitted', 'confirmed'], 'submitted', 'confirmed'],
    [['submitted', 'mined', 'submitted'], 'mined', 'submitted'],
    [['submitted', 'retrying', 'mined'], 'retrying', 'mined'],
    [['submitted', 'mined', 'confirmed', 'confirmed'], 'confirmed', 'confirmed'],
  ] as const)('not along %j', (stages, from, to) => {
    const { exchange } = openTraded();
    expect(exchange.move(1, ...stages).at(-1)).toEqual({
      type: 'command-refused',
      code: 'trade_move_refused',
      details: { from, to },
    });
  });

  it('to failed only before it is confirmed', () => {
    const { exchange } = openTraded();
    exchange.move(1, 'submitted', 'mined', 'confirmed');
    expect(refusalIn(exchange.fail(1, 'seller'))).toBe('trade_move_refused');
    exchange.move(1, 'retrying');
    expect(refusalIn(exchange.fail(1, 'seller'))).toBeUndefined();
    expect(refusalIn(exchange.fail(1, 'seller'))).toBe('trade_not_found');
    expect(refusalIn(exchange.move(2, 'submitted'))).toBe('trade_not_found');
  });
});
