// Price-time priority in pictures: the book, one order, what it did, the book again.
import { NO, SELF_TRADE_PREVENTIONS } from '@presage/protocol';
import { drawLadder } from '@presage/testkit';
import { describe, expect, it } from 'vitest';
import { Exchange } from './exchange.ts';

/** Two asks at one price, a better and a worse one, and a bid. */
function openScene() {
  const exchange = new Exchange();
  const { traders } = exchange;
  exchange.place(
    traders.aliceSellsYes({ price: '0.60', size: '10' }),
    traders.bobSellsYes({ price: '0.60', size: '20' }),
    traders.carolSellsYes({ price: '0.58', size: '5' }),
    traders.aliceSellsYes({ price: '0.65', size: '50' }),
    traders.bobBuysYes({ price: '0.55', size: '7' }),
  );
  return { exchange, traders };
}

describe('an incoming order', () => {
  it('rests when nothing crosses it', () => {
    const { exchange, traders } = openScene();
    expect(exchange.show(traders.daveBuysYes({ price: '0.57', size: '3' }))).toMatchInlineSnapshot(`
      "
        ask 0.65         50   alice 50
        ask 0.6          30   alice 10, bob 20
        ask 0.58          5   carol 5
        -----------------
        bid 0.55          7   bob 7

        dave buys 3 YES at 0.57

        ask 0.65         50   alice 50
        ask 0.6          30   alice 10, bob 20
        ask 0.58          5   carol 5
        -----------------
        bid 0.57          3   dave 3
        bid 0.55          7   bob 7
      "
    `);
  });

  it('takes the best price first, then the oldest order, at the resting prices, and rests with what is left of it', () => {
    const { exchange, traders } = openScene();
    expect(exchange.show(traders.daveBuysYes({ price: '0.62', size: '38' }))).toMatchInlineSnapshot(`
      "
        ask 0.65         50   alice 50
        ask 0.6          30   alice 10, bob 20
        ask 0.58          5   carol 5
        -----------------
        bid 0.55          7   bob 7

        dave buys 38 YES at 0.62
        dave takes 5 at 0.58 from carol
        dave takes 10 at 0.6 from alice
        dave takes 20 at 0.6 from bob

        ask 0.65         50   alice 50
        -----------------
        bid 0.62          3   dave 3
        bid 0.55          7   bob 7
      "
    `);
  });

  it('takes a part of the order it ends with', () => {
    const { exchange, traders } = openScene();
    expect(exchange.show(traders.daveBuysYes({ price: '0.60', size: '8' }))).toMatchInlineSnapshot(`
      "
        ask 0.65         50   alice 50
        ask 0.6          30   alice 10, bob 20
        ask 0.58          5   carol 5
        -----------------
        bid 0.55          7   bob 7

        dave buys 8 YES at 0.6
        dave takes 5 at 0.58 from carol
        dave takes 3 at 0.6 from alice

        ask 0.65         50   alice 50
        ask 0.6          27   alice 7, bob 20
        -----------------
        bid 0.55          7   bob 7
      "
    `);
  });

  it('sweeps the side to empty', () => {
    const { exchange, traders } = openScene();
    expect(exchange.show(traders.daveBuysYes({ price: '0.999999', size: '85' }))).toMatchInlineSnapshot(`
      "
        ask 0.65         50   alice 50
        ask 0.6          30   alice 10, bob 20
        ask 0.58          5   carol 5
        -----------------
        bid 0.55          7   bob 7

        dave buys 85 YES at 0.999999
        dave takes 5 at 0.58 from carol
        dave takes 10 at 0.6 from alice
        dave takes 20 at 0.6 from bob
        dave takes 50 at 0.65 from alice

        -----------------
        bid 0.55          7   bob 7
      "
    `);
  });

  it('sells into the bids, highest first', () => {
    const { exchange, traders } = openScene();
    exchange.place(traders.carolBuysYes({ price: '0.56', size: '2' }));
    expect(exchange.show(traders.daveSellsYes({ price: '0.55', size: '4' }))).toMatchInlineSnapshot(`
      "
        ask 0.65         50   alice 50
        ask 0.6          30   alice 10, bob 20
        ask 0.58          5   carol 5
        -----------------
        bid 0.56          2   carol 2
        bid 0.55          7   bob 7

        dave sells 4 YES at 0.55
        dave gives 2 at 0.56 to carol
        dave gives 2 at 0.55 to bob

        ask 0.65         50   alice 50
        ask 0.6          30   alice 10, bob 20
        ask 0.58          5   carol 5
        -----------------
        bid 0.55          5   bob 5
      "
    `);
  });

  it('never matches the other outcome', () => {
    const { exchange, traders } = openScene();
    expect(exchange.show(traders.daveBuysNo({ price: '0.99', size: '4' }), NO)).toMatchInlineSnapshot(`
      "
        -----------------

        dave buys 4 NO at 0.99

        -----------------
        bid 0.99          4   dave 4
      "
    `);
  });

  it('fills totals past 2^53 exactly', () => {
    const exchange = new Exchange();
    const { traders } = exchange;
    const most = '9007199254.740991';
    exchange.place(
      traders.aliceSellsYes({ price: '0.5', size: most }),
      traders.bobSellsYes({ price: '0.5', size: most }),
    );
    expect(exchange.show(traders.carolBuysYes({ price: '0.5', size: '0.000002' }))).toMatchInlineSnapshot(`
      "
        ask 0.5      18014398509.481982   alice 9007199254.740991, bob 9007199254.740991
        -----------------

        carol buys 0.000002 YES at 0.5
        carol takes 0.000002 at 0.5 from alice

        ask 0.5      18014398509.48198   alice 9007199254.740989, bob 9007199254.740991
        -----------------
      "
    `);
  });
});

describe('time in force', () => {
  it('IOC cancels what it cannot trade at once', () => {
    const { exchange, traders } = openScene();
    const order = traders.daveBuysYes({ price: '0.58', size: '9', timeInForce: 'IOC' });
    expect(exchange.show(order)).toMatchInlineSnapshot(`
      "
        ask 0.65         50   alice 50
        ask 0.6          30   alice 10, bob 20
        ask 0.58          5   carol 5
        -----------------
        bid 0.55          7   bob 7

        dave buys 9 YES at 0.58 IOC
        dave takes 5 at 0.58 from carol
        dave's bid at 0.58 cancelled, 4 left: immediate_or_cancel

        ask 0.65         50   alice 50
        ask 0.6          30   alice 10, bob 20
        -----------------
        bid 0.55          7   bob 7
      "
    `);
  });

  it('FOK fills whole', () => {
    const { exchange, traders } = openScene();
    const order = traders.daveBuysYes({ price: '0.60', size: '35', timeInForce: 'FOK' });
    expect(exchange.show(order)).toMatchInlineSnapshot(`
      "
        ask 0.65         50   alice 50
        ask 0.6          30   alice 10, bob 20
        ask 0.58          5   carol 5
        -----------------
        bid 0.55          7   bob 7

        dave buys 35 YES at 0.6 FOK
        dave takes 5 at 0.58 from carol
        dave takes 10 at 0.6 from alice
        dave takes 20 at 0.6 from bob

        ask 0.65         50   alice 50
        -----------------
        bid 0.55          7   bob 7
      "
    `);
  });

  it('FOK leaves no trace when the book has too little within its price', () => {
    const { exchange, traders } = openScene();
    const hash = exchange.engine.stateHash();
    const order = traders.daveBuysYes({ price: '0.60', size: '35.000001', timeInForce: 'FOK' });
    expect(exchange.show(order)).toMatchInlineSnapshot(`
      "
        ask 0.65         50   alice 50
        ask 0.6          30   alice 10, bob 20
        ask 0.58          5   carol 5
        -----------------
        bid 0.55          7   bob 7

        refused: fok_not_filled {"fillable":35000000}

        ask 0.65         50   alice 50
        ask 0.6          30   alice 10, bob 20
        ask 0.58          5   carol 5
        -----------------
        bid 0.55          7   bob 7
      "
    `);
    expect(exchange.engine.stateHash()).toBe(hash);
  });

  it('FOK does not count orders of its own wallet that it would cancel or stop at', () => {
    for (const selfTradePrevention of ['cancel_resting', 'cancel_incoming'] as const) {
      const { exchange, traders } = openScene();
      const terms = { timeInForce: 'FOK', selfTradePrevention } as const;
      expect(exchange.send(traders.bobBuysYes({ price: '0.60', size: '16', ...terms }))).toEqual([
        { type: 'command-refused', code: 'fok_not_filled', details: { fillable: 15_000_000 } },
      ]);
    }
  });

  it('FOK passes over its own orders when they are to be cancelled and others suffice', () => {
    const { exchange, traders } = openScene();
    const terms = { timeInForce: 'FOK', selfTradePrevention: 'cancel_resting' } as const;
    expect(exchange.show(traders.bobBuysYes({ price: '0.65', size: '20', ...terms }))).toMatchInlineSnapshot(`
      "
        ask 0.65         50   alice 50
        ask 0.6          30   alice 10, bob 20
        ask 0.58          5   carol 5
        -----------------
        bid 0.55          7   bob 7

        bob buys 20 YES at 0.65 FOK cancel_resting
        bob takes 5 at 0.58 from carol
        bob takes 10 at 0.6 from alice
        bob's ask at 0.6 cancelled, 20 left: self_trade
        bob takes 5 at 0.65 from alice

        ask 0.65         45   alice 45
        -----------------
        bid 0.55          7   bob 7
      "
    `);
  });
});

describe('post-only', () => {
  it('is refused where it would trade, with the best price in the details', () => {
    const { exchange, traders } = openScene();
    const order = traders.daveBuysYes({ price: '0.60', size: '1', postOnly: true });
    expect(exchange.show(order)).toMatchInlineSnapshot(`
      "
        ask 0.65         50   alice 50
        ask 0.6          30   alice 10, bob 20
        ask 0.58          5   carol 5
        -----------------
        bid 0.55          7   bob 7

        refused: would_cross {"bestPrice":580000}

        ask 0.65         50   alice 50
        ask 0.6          30   alice 10, bob 20
        ask 0.58          5   carol 5
        -----------------
        bid 0.55          7   bob 7
      "
    `);
  });

  it('rests one step below', () => {
    const { exchange, traders } = openScene();
    const order = traders.daveBuysYes({ price: '0.579999', size: '1', postOnly: true });
    expect(exchange.show(order)).toMatchInlineSnapshot(`
      "
        ask 0.65         50   alice 50
        ask 0.6          30   alice 10, bob 20
        ask 0.58          5   carol 5
        -----------------
        bid 0.55          7   bob 7

        dave buys 1 YES at 0.579999 post-only

        ask 0.65         50   alice 50
        ask 0.6          30   alice 10, bob 20
        ask 0.58          5   carol 5
        -----------------
        bid 0.579999      1   dave 1
        bid 0.55          7   bob 7
      "
    `);
  });

  it('is refused by an order of its own wallet too, whatever the self-trade flag', () => {
    for (const selfTradePrevention of SELF_TRADE_PREVENTIONS) {
      const { exchange, traders } = openScene();
      const order = traders.carolBuysYes({ price: '0.58', size: '1', postOnly: true, selfTradePrevention });
      expect(exchange.send(order)).toMatchObject([{ code: 'would_cross', details: { bestPrice: 580_000 } }]);
    }
  });
});

describe('a wallet that would match itself', () => {
  it('trades with itself when nothing else was asked for', () => {
    const { exchange, traders } = openScene();
    expect(exchange.show(traders.carolBuysYes({ price: '0.58', size: '2' }))).toMatchInlineSnapshot(`
      "
        ask 0.65         50   alice 50
        ask 0.6          30   alice 10, bob 20
        ask 0.58          5   carol 5
        -----------------
        bid 0.55          7   bob 7

        carol buys 2 YES at 0.58
        carol takes 2 at 0.58 from carol

        ask 0.65         50   alice 50
        ask 0.6          30   alice 10, bob 20
        ask 0.58          3   carol 3
        -----------------
        bid 0.55          7   bob 7
      "
    `);
  });

  it('loses the resting order with cancel_resting, and goes on', () => {
    const { exchange, traders } = openScene();
    const order = traders.carolBuysYes({ price: '0.60', size: '12', selfTradePrevention: 'cancel_resting' });
    expect(exchange.show(order)).toMatchInlineSnapshot(`
      "
        ask 0.65         50   alice 50
        ask 0.6          30   alice 10, bob 20
        ask 0.58          5   carol 5
        -----------------
        bid 0.55          7   bob 7

        carol buys 12 YES at 0.6 cancel_resting
        carol's ask at 0.58 cancelled, 5 left: self_trade
        carol takes 10 at 0.6 from alice
        carol takes 2 at 0.6 from bob

        ask 0.65         50   alice 50
        ask 0.6          18   bob 18
        -----------------
        bid 0.55          7   bob 7
      "
    `);
  });

  it('loses the rest of the incoming order with cancel_incoming', () => {
    const { exchange, traders } = openScene();
    const order = traders.aliceBuysYes({ price: '0.60', size: '12', selfTradePrevention: 'cancel_incoming' });
    expect(exchange.show(order)).toMatchInlineSnapshot(`
      "
        ask 0.65         50   alice 50
        ask 0.6          30   alice 10, bob 20
        ask 0.58          5   carol 5
        -----------------
        bid 0.55          7   bob 7

        alice buys 12 YES at 0.6 cancel_incoming
        alice takes 5 at 0.58 from carol
        alice's bid at 0.6 cancelled, 7 left: self_trade

        ask 0.65         50   alice 50
        ask 0.6          30   alice 10, bob 20
        -----------------
        bid 0.55          7   bob 7
      "
    `);
  });
});

describe('an expired order that no tick has removed yet', () => {
  function openExpiredScene() {
    const exchange = new Exchange();
    const { traders, clock } = exchange;
    exchange.place(
      traders.aliceSellsYes({ price: '0.50', size: '10', expiration: clock.nowSeconds + 60 }),
      traders.bobSellsYes({ price: '0.55', size: '10' }),
    );
    clock.advanceSeconds(60);
    return { exchange, traders };
  }

  it('never trades: it is removed on the way', () => {
    const { exchange, traders } = openExpiredScene();
    expect(exchange.show(traders.carolBuysYes({ price: '0.55', size: '4' }))).toMatchInlineSnapshot(`
      "
        ask 0.55         10   bob 10
        ask 0.5          10   alice 10
        -----------------

        carol buys 4 YES at 0.55
        alice's ask at 0.5 cancelled, 10 left: expired
        carol takes 4 at 0.55 from bob

        ask 0.55          6   bob 6
        -----------------
      "
    `);
  });

  it('does not block a post-only order', () => {
    const { exchange, traders } = openExpiredScene();
    expect(exchange.show(traders.carolBuysYes({ price: '0.54', size: '4', postOnly: true }))).toMatchInlineSnapshot(`
      "
        ask 0.55         10   bob 10
        ask 0.5          10   alice 10
        -----------------

        carol buys 4 YES at 0.54 post-only
        alice's ask at 0.5 cancelled, 10 left: expired

        ask 0.55         10   bob 10
        -----------------
        bid 0.54          4   carol 4
      "
    `);
  });

  it('is not counted by FOK', () => {
    const { exchange, traders } = openExpiredScene();
    expect(exchange.send(traders.carolBuysYes({ price: '0.55', size: '11', timeInForce: 'FOK' }))).toMatchObject([
      { code: 'fok_not_filled', details: { fillable: 10_000_000 } },
    ]);
    expect(drawLadder(exchange.engine)).toContain('alice 10');
  });

  it('frees its nonce for another order of the wallet, and is removed once, even if that order would have matched it', () => {
    const { exchange, traders } = openExpiredScene();
    expect(exchange.show(traders.aliceBuysYes({ price: '0.52', size: '1', nonce: 1n }))).toMatchInlineSnapshot(`
      "
        ask 0.55         10   bob 10
        ask 0.5          10   alice 10
        -----------------

        alice's ask at 0.5 cancelled, 10 left: expired
        alice buys 1 YES at 0.52

        ask 0.55         10   bob 10
        -----------------
        bid 0.52          1   alice 1
      "
    `);
  });
});
