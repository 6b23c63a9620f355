// The ticket's preview compared with the engine: the preview shows what would happen.
import { Engine } from '@presage/engine';
import { costOf, type EngineOutput, isJournalled, type Price, type Size, type TradeMatched } from '@presage/protocol';
import type { BookEvent } from '@presage/sdk';
import {
  createOrderBuilders,
  isLongRun,
  listMarket,
  ManualClock,
  SeededRandom,
  seedFromEnv,
  TEST_MARKET,
} from '@presage/testkit';
import { describe, expect, it } from 'vitest';
import { outcomesOf, type Walk, walkBook } from '../src/ticket/preview.ts';

const BOOKS = isLongRun ? 2_000 : 100;
const SEED = seedFromEnv(7);

const millionths = (value: number) => (value / 1_000_000).toFixed(6);

function bookOf(engine: Engine): BookEvent {
  const [bids, asks] = [engine.levels(TEST_MARKET, 0, 0), engine.levels(TEST_MARKET, 0, 1)];
  return { type: 'book', marketId: TEST_MARKET, outcome: 'YES', bids, asks, seq: 1, hash: '' };
}

function tradesOf(outputs: readonly EngineOutput[]): TradeMatched[] {
  return outputs.filter(isJournalled).filter((event): event is TradeMatched => event.type === 'trade-matched');
}

/** A book of random orders, and an order that may match any of them; one order per level, or up to three. */
function play(random: SeededRandom, ordersPerLevel: number) {
  const clock = new ManualClock();
  const traders = createOrderBuilders(clock);
  const engine = new Engine();
  const rate = random.pick([0, 1, 150, 700]);
  engine.apply(listMarket(clock.nowMs, rate === 0 ? {} : { feeRateBps: rate }));
  const levels = random.int(0, 12);
  for (let level = 0; level < levels; level++) {
    const orders = random.int(1, ordersPerLevel);
    for (let order = 0; order < orders; order++) {
      const price = millionths(500_000 + level * 7_001);
      engine.apply(traders.bobSellsYes({ price, size: millionths(random.int(1, 40_000_000)) }));
    }
  }
  const price = random.int(480_000, 600_000);
  const size = random.int(1, 200_000_000);
  const shown = walkBook(bookOf(engine), { side: 'buy', price, size: BigInt(size), rate });
  const trades = tradesOf(engine.apply(traders.aliceBuysYes({ price: millionths(price), size: millionths(size) })));
  const filled = trades.reduce((sum, trade) => sum + trade.size, 0);
  const cost = trades.reduce((sum, trade) => sum + costOf(trade.price, trade.size), 0n);
  const fee = trades.reduce((sum, trade) => sum + BigInt(trade.fee ?? 0), 0n);
  return { shown, trades, filled, cost, fee, size };
}

describe('the preview of an order', () => {
  it('shows the same fills, cost and remainder as the engine', () => {
    const random = new SeededRandom(SEED);
    for (let book = 0; book < BOOKS; book++) {
      const { shown, trades, filled, cost, fee, size } = play(random, 1);
      const average = filled === 0 ? 0 : Number((cost * 1_000_000n + BigInt(filled) - 1n) / BigInt(filled));
      expect(shown, `seed ${SEED}, book ${book}`).toEqual({
        filled: BigInt(filled),
        rests: BigInt(size - filled),
        cost,
        fee,
        averagePrice: average,
        worstPrice: trades.at(-1)?.price ?? 0,
      });
    }
  });

  it('differs by less than a millionth of a dollar per matched order where a level holds several', () => {
    const random = new SeededRandom(SEED + 1);
    for (let book = 0; book < BOOKS; book++) {
      const { shown, trades, filled, cost } = play(random, 3);
      expect(shown.filled, `seed ${SEED}, book ${book}`).toBe(BigInt(filled));
      expect(cost - shown.cost).toBeGreaterThanOrEqual(0n);
      expect(cost - shown.cost).toBeLessThanOrEqual(BigInt(trades.length));
    }
  });
});

describe('the result of an order', () => {
  const price = 550_000;
  const nothingFills = (size: bigint) => ({
    filled: 0n,
    rests: size,
    cost: 0n,
    fee: 0n,
    averagePrice: 0,
    worstPrice: 0,
  });
  const at = (side: Walk['side'], size: bigint, held: bigint) =>
    outcomesOf({ side, price, size }, nothingFills(size), held);

  it('costs a buyer the price, and pays a dollar a share if it wins', () => {
    expect(at('buy', 100_000_000n, 0n)).toEqual({
      pays: 55_000_000n,
      receives: 0n,
      ifWins: { payout: 100_000_000n, profit: 45_000_000n },
      ifLoses: { payout: 0n, profit: -55_000_000n },
    });
  });

  it('adds the fee of what fills now to what a buyer pays, and takes it from what a seller gets', () => {
    const fills = { ...nothingFills(0n), filled: 100_000_000n, cost: 55_000_000n, fee: 1_000_000n };
    const now = (side: Walk['side'], held: bigint) => outcomesOf({ side, price, size: 100_000_000n }, fills, held);
    expect(now('buy', 0n)).toMatchObject({ pays: 56_000_000n, ifWins: { profit: 44_000_000n } });
    expect(now('sell', 100_000_000n)).toMatchObject({ pays: 0n, receives: 54_000_000n });
    expect(now('sell', 0n)).toMatchObject({ pays: 46_000_000n, receives: 0n });
  });

  it('pays a seller who holds the shares', () => {
    expect(at('sell', 100_000_000n, 100_000_000n)).toMatchObject({ pays: 0n, receives: 55_000_000n });
  });

  it('makes a seller without shares a buyer of the other side', () => {
    expect(at('sell', 100_000_000n, 0n)).toEqual({
      pays: 45_000_000n,
      receives: 0n,
      ifWins: { payout: 0n, profit: -45_000_000n },
      ifLoses: { payout: 100_000_000n, profit: 55_000_000n },
    });
  });

  it('splits a sale between shares held and shares minted', () => {
    expect(at('sell', 100_000_000n, 40_000_000n)).toMatchObject({ pays: 27_000_000n, receives: 22_000_000n });
  });

  it('rounds up as the contract does', () => {
    expect(outcomesOf({ side: 'buy', price: 333_333, size: 1n }, nothingFills(1n), 0n).pays).toBe(
      costOf(333_333 as Price, 1 as Size),
    );
  });
});
