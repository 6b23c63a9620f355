// A drawn ladder shows every level with its queue, and every kind of output has its line.
import { Engine } from '@presage/engine';
import { createOrderBuilders, drawLadder, drawStep, listMarket, ManualClock, TEST_MARKET } from '@presage/testkit';
import { expect, it } from 'vitest';

it('the ladder shows asks above bids, best next to the line, queues in the order they trade', () => {
  const clock = new ManualClock();
  const traders = createOrderBuilders(clock);
  const engine = new Engine();
  engine.apply(listMarket(clock.nowMs));
  for (const command of [
    traders.aliceSellsYes({ price: '0.61', size: '1.5' }),
    traders.bobSellsYes({ price: '0.6', size: '2' }),
    traders.carolSellsYes({ price: '0.6', size: '3' }),
    traders.daveBuysYes({ price: '0.4', size: '4' }),
    traders.daveBuysYes({ price: '0.41', size: '5' }),
  ]) {
    engine.apply(command);
  }
  expect(drawLadder(engine)).toMatchInlineSnapshot(`
    "
      ask 0.61        1.5   alice 1.5
      ask 0.6           5   bob 2, carol 3
      -----------------
      bid 0.41          5   dave 5
      bid 0.4           4   dave 4
    "
  `);
  expect(drawLadder(engine, { outcome: 1 })).toMatchInlineSnapshot(`
    "
      -----------------
    "
  `);
});

it('a step has a line for everything that happened', () => {
  const clock = new ManualClock();
  const traders = createOrderBuilders(clock);
  const engine = new Engine();
  const bid = traders.daveBuysNo({ price: '0.4', size: '4', postOnly: true, selfTradePrevention: 'cancel_resting' });
  const tradeId = `${TEST_MARKET.slice(2, 18)}-1`;
  const trade = { marketId: TEST_MARKET, tradeId, timeMs: clock.nowMs };
  const outputs = [
    listMarket(clock.nowMs),
    bid,
    bid,
    traders.aliceSellsNo({ price: '0.4', size: '1', timeInForce: 'IOC' }),
    { type: 'move-trade', ...trade, stage: 'submitted' } as const,
    { type: 'fail-trade', ...trade, faultParty: 'seller', reason: 'no shares' } as const,
    { type: 'close-market', marketId: TEST_MARKET, reason: 'vanished', timeMs: clock.nowMs } as const,
    traders.bobBuysNo({ price: '0.4', size: '4', marketId: `0x${'00'.repeat(32)}` as const }),
    traders.bobBuysNo({ price: '0.4', size: '4', expiration: 5 }),
  ].flatMap((command) => engine.apply(command));
  expect(drawStep(outputs, engine)).toMatchInlineSnapshot(`
    "
      market listed
      dave buys 4 NO at 0.4 post-only cancel_resting
      replayed: open, 0 matches
      alice sells 1 NO at 0.4 IOC
      alice gives 1 at 0.4 to dave
      trade 5e5e5e5e5e5e5e5e-1 is submitted
      trade 5e5e5e5e5e5e5e5e-1 failed, fault of seller: no shares
      alice's ask at 0.4 cancelled, 0 left: settlement_fault
      dave gets back 1
      market closed: vanished
      dave's bid at 0.4 cancelled, 4 left: market_closed
      refused: market_not_found
      refused: market_closed
    "
  `);
});
