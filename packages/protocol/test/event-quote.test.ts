// The quote of an event is what buying share by share comes to.
import { SeededRandom, seedFromEnv } from '@presage/testkit';
import { describe, expect, it } from 'vitest';
import { type EventQuoteInput, type OutcomeAsks, quoteEvent, toOutcomeMarketId } from '../src/index.ts';

const EVENT_ID = `0x${'ab'.repeat(32)}` as const;

function asksOf(
  index: number,
  yes: readonly (readonly [number, number])[],
  no: readonly (readonly [number, number])[],
  count = 3,
): OutcomeAsks {
  const toLevels = (levels: typeof yes) => levels.map(([price, size]) => ({ price, size }));
  return { index, marketId: toOutcomeMarketId(EVENT_ID, index, count), yesAsks: toLevels(yes), noAsks: toLevels(no) };
}

const INPUT = { count: 3, index: 0, size: 2_000_000, feeRateBps: 0, mostOrders: 50 };

describe('a quote of an event', () => {
  it('takes NO of the others when they cost less together than YES', () => {
    const outcomes = [
      asksOf(0, [[450_000, 9_000_000]], []),
      asksOf(
        1,
        [],
        [
          [700_000, 1_000_000],
          [720_000, 5_000_000],
        ],
      ),
      asksOf(2, [], [[690_000, 2_000_000]]),
    ];
    const { best, direct, converted } = quoteEvent({ ...INPUT, outcomes });
    expect(best).toBe('converted');
    expect(direct).toMatchObject({
      cost: 900_000n,
      freed: 0n,
      total: 900_000n,
      averagePrice: 450_000n,
      worstPrice: 450_000,
    });
    // 0.70 + 0.72 + 2 x 0.69 are paid, and 2 come back.
    expect(converted).toMatchObject({
      cost: 2_800_000n,
      freed: 2_000_000n,
      total: 800_000n,
      averagePrice: 400_000n,
      worstPrice: 410_000,
    });
    expect(converted?.orders).toMatchObject([
      { outcome: 1, price: 720_000, size: 2_000_000, cost: 1_420_000n },
      { outcome: 1, price: 690_000, size: 2_000_000, cost: 1_380_000n },
    ]);
  });

  it('takes YES where both ways cost the same, and the only way where there is one', () => {
    const yes = asksOf(0, [[400_000, 9_000_000]], []);
    const others = [asksOf(1, [], [[700_000, 9_000_000]]), asksOf(2, [], [[700_000, 9_000_000]])];
    expect(quoteEvent({ ...INPUT, outcomes: [yes, ...others] }).best).toBe('direct');
    expect(quoteEvent({ ...INPUT, outcomes: [asksOf(0, [], []), ...others] })).toMatchObject({
      best: 'converted',
      direct: undefined,
    });
    expect(quoteEvent({ ...INPUT, outcomes: [yes, asksOf(1, [], []), asksOf(2, [], [])] })).toMatchObject({
      best: 'direct',
      converted: undefined,
    });
    expect(quoteEvent({ ...INPUT, outcomes: [asksOf(0, [], [])] })).toEqual({
      best: undefined,
      direct: undefined,
      converted: undefined,
    });
  });

  it('converts nothing while an outcome is not listed, or where the orders are too many for one batch', () => {
    const outcomes = [asksOf(0, [], []), asksOf(1, [], [[700_000, 9_000_000]]), asksOf(2, [], [[700_000, 9_000_000]])];
    expect(quoteEvent({ ...INPUT, outcomes }).best).toBe('converted');
    expect(quoteEvent({ ...INPUT, outcomes: outcomes.slice(0, 2) }).best).toBeUndefined();
    expect(quoteEvent({ ...INPUT, outcomes: outcomes.slice(1) }).best).toBeUndefined();
    expect(quoteEvent({ ...INPUT, outcomes, mostOrders: 1 }).best).toBeUndefined();
  });

  it('is what buying unit by unit in a random event comes to', () => {
    const random = new SeededRandom(seedFromEnv(5));
    for (let round = 0; round < 300; round++) {
      const input = randomInput(random);
      const quote = quoteEvent(input);
      const expected = bruteForce(input);
      const context = `round ${round}`;
      expect(quote.direct?.total, context).toBe(expected.direct);
      expect(quote.converted?.total, context).toBe(expected.converted);
      const totals = [expected.direct, expected.converted].filter((total) => total !== undefined);
      const lowest = totals.reduce<bigint | undefined>(
        (low, total) => (low === undefined || total < low ? total : low),
        undefined,
      );
      expect(quote.best && quote[quote.best]?.total, context).toBe(lowest);
    }
  });
});

function randomInput(random: SeededRandom): EventQuoteInput {
  const count = random.int(2, 6);
  const levels = () => {
    const prices = Array.from({ length: random.int(0, 4) }, () => random.int(1, 999_999)).sort((a, b) => a - b);
    return [...new Set(prices)].map((price) => [price, random.int(1, 30)] as const);
  };
  const listed = random.chance(0.9) ? count : random.int(1, count);
  const outcomes = Array.from({ length: listed }, (_, index) => asksOf(index, levels(), levels(), count));
  const [index, size] = [random.below(count), random.int(1, 40)];
  return { outcomes, count, index, size, feeRateBps: random.pick([0, 1, 700]), mostOrders: 50 };
}

/** Takes one unit at a time from the cheapest offer, and rounds the units that came at one price together. */
function bruteForce({ outcomes, count, index, size, feeRateBps }: EventQuoteInput) {
  const buy = (asks: OutcomeAsks['yesAsks']): bigint | undefined => {
    const units = asks.flatMap(({ price, size: offered }) => Array<bigint>(Number(offered)).fill(BigInt(price)));
    if (units.length < size) return undefined;
    const taken = units.slice(0, size);
    return [...new Set(taken)].reduce((sum, price) => {
      const part = BigInt(taken.filter((each) => each === price).length);
      const fee = BigInt(feeRateBps) * price * (1_000_000n - price) * part;
      return sum + ceil(price * part, 1_000_000n) + ceil(fee, 10n ** 16n);
    }, 0n);
  };
  const own = outcomes.find((each) => each.index === index);
  const others = outcomes.filter((each) => each.index !== index).map(({ noAsks }) => buy(noAsks));
  const isWhole = outcomes.length === count && others.every((cost) => cost !== undefined);
  const paid = others.reduce<bigint>((sum, cost) => sum + (cost ?? 0n), 0n);
  return {
    direct: own && buy(own.yesAsks),
    converted: isWhole ? paid - BigInt(size) * BigInt(count - 2) : undefined,
  };
}

function ceil(value: bigint, by: bigint): bigint {
  return (value + by - 1n) / by;
}
