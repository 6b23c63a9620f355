// The demo maker's arithmetic: sane quotes at any fair value and inventory, a fair value that follows spot, few changes.
import { SeededRandom, seedFromEnv } from '@presage/testkit';
import { describe, expect, it } from 'vitest';
import { fairOfOutcome, fairOfQuick, fairOfWalk } from '../../src/maker/market-watch.ts';
import { diffQuotes, LEVELS, planQuotes, type Quote, skewOf } from '../../src/maker/quotes.ts';

const SEED = seedFromEnv(20_261_115);
const best = (quotes: readonly Quote[], outcome: string, side: string) => {
  const prices = quotes.filter((quote) => quote.outcome === outcome && quote.side === side).map(({ price }) => price);
  return side === 'buy' ? Math.max(0, ...prices) : Math.min(1_000_000, ...prices);
};

describe('quotes', () => {
  it(`never cross, stay in cents between 1 and 99, and give nothing away between YES and NO (seed ${SEED})`, () => {
    const random = new SeededRandom(SEED);
    for (let i = 0; i < 300; i++) {
      const quotes = planQuotes(random.int(20_000, 980_000), random.int(-2e10, 2e10));
      expect(quotes.length).toBeGreaterThan(0);
      for (const { price, size } of quotes) {
        expect(price % 10_000).toBe(0);
        expect(price).toBeGreaterThanOrEqual(10_000);
        expect(price).toBeLessThanOrEqual(990_000);
        expect(size).toBeGreaterThan(0);
      }
      for (const outcome of ['YES', 'NO']) {
        expect(best(quotes, outcome, 'buy')).toBeLessThan(best(quotes, outcome, 'sell'));
      }
      // A buyer of one of each pays more than the dollar they pay out; a seller of one of each gets less.
      expect(best(quotes, 'YES', 'sell') + best(quotes, 'NO', 'sell')).toBeGreaterThan(1_000_000);
      expect(best(quotes, 'YES', 'buy') + best(quotes, 'NO', 'buy')).toBeLessThan(1_000_000);
    }
  });

  it('have every level on both sides of both outcomes in the middle', () => {
    const quotes = planQuotes(500_000, 0);
    expect(quotes).toHaveLength(LEVELS * 4);
    expect(best(quotes, 'YES', 'buy')).toBe(490_000);
    expect(best(quotes, 'YES', 'sell')).toBe(510_000);
  });

  it('lean against what is held', () => {
    expect(skewOf(5_000_000_000)).toBeLessThan(0);
    expect(skewOf(-5_000_000_000)).toBeGreaterThan(0);
    const [flat, long] = [planQuotes(500_000, 0), planQuotes(500_000, 1e10)];
    expect(best(long, 'YES', 'sell')).toBeLessThan(best(flat, 'YES', 'sell'));
    expect(best(long, 'NO', 'buy')).toBeGreaterThan(best(flat, 'NO', 'buy'));
  });
});

describe('changes', () => {
  const resting = (quotes: readonly Quote[]) =>
    quotes.map((quote, i) => ({ ...quote, orderHash: `0x${i}`, remainingSize: quote.size }));

  it('are none where nothing moved', () => {
    const quotes = planQuotes(500_000, 0);
    expect(diffQuotes(quotes, resting(quotes))).toEqual({ cancel: [], place: [] });
  });

  it('keep the levels that still fit when the price moves by a cent', () => {
    const [before, after] = [planQuotes(500_000, 0), planQuotes(510_000, 0)];
    const { cancel, place } = diffQuotes(after, resting(before));
    expect(cancel.length).toBeLessThan(before.length);
    expect(place.length).toBe(cancel.length);
  });

  it('place again what was mostly eaten, and take off what is there twice', () => {
    const [quote] = planQuotes(500_000, 0) as [Quote];
    const eaten = { ...quote, orderHash: '0xa', remainingSize: quote.size / 4 };
    expect(diffQuotes([quote], [eaten])).toEqual({ cancel: ['0xa'], place: [quote] });
    const twice = [quote, quote].map((each, i) => ({ ...each, orderHash: `0x${i}`, remainingSize: each.size }));
    expect(diffQuotes([quote], twice).cancel).toHaveLength(1);
  });

  it(`leave exactly the wanted quotes on the book, whatever rested before (seed ${SEED})`, () => {
    const random = new SeededRandom(SEED);
    for (let i = 0; i < 500; i++) {
      const before = resting(planQuotes(random.int(20_000, 980_000), random.int(-2e10, 2e10)));
      const wanted = planQuotes(random.int(20_000, 980_000), random.int(-2e10, 2e10));
      const { cancel, place } = diffQuotes(wanted, before);
      const left = before.filter(({ orderHash }) => !cancel.includes(orderHash));
      const prices = (quotes: readonly Quote[]) =>
        quotes.map(({ outcome, side, price }) => `${outcome}${side}${price}`).sort();
      expect(prices([...left, ...place])).toEqual(prices(wanted));
    }
  });
});

describe('the fair value', () => {
  it('of a quick market is a half at the strike, more above it, and surer as time runs out', () => {
    expect(fairOfQuick({ spot: 100, strike: 100, secondsLeft: 900 })).toBe(500_000);
    const early = fairOfQuick({ spot: 100.1, strike: 100, secondsLeft: 900 });
    const late = fairOfQuick({ spot: 100.1, strike: 100, secondsLeft: 30 });
    expect(early).toBeGreaterThan(500_000);
    expect(late).toBeGreaterThan(early);
    expect(fairOfQuick({ spot: 100, strike: 100.1, secondsLeft: 900 })).toBe(1_000_000 - early);
    expect(fairOfQuick({ spot: 200, strike: 100, secondsLeft: 1 })).toBe(980_000);
  });

  it('of another market is a slow walk that any restart finds again', () => {
    const id = `0x${'ab'.repeat(32)}`;
    expect(fairOfWalk(id, 1_800_000_000)).toBe(fairOfWalk(id, 1_800_000_000));
    const steps = Array.from({ length: 3_600 }, (_, i) => fairOfWalk(id, 1_800_000_000 + i));
    const jumps = steps.slice(1).map((fair, i) => Math.abs(fair - steps[i]!));
    expect(Math.max(...jumps)).toBeLessThan(2_000);
    expect(Math.max(...steps) - Math.min(...steps)).toBeGreaterThan(10_000);
  });

  it('of the outcomes of an event adds up to one, with prices that leave nothing to whoever buys or sells them all', () => {
    const ids = ['11', '22', '33', '44'].map((digits) => `0x${digits.repeat(32)}`);
    for (let now = 1_800_000_000; now < 1_800_020_000; now += 500) {
      const fairs = ids.map((id) => fairOfOutcome(id, ids, now));
      expect(Math.abs(fairs.reduce((sum, fair) => sum + fair, 0) - 1_000_000)).toBeLessThanOrEqual(ids.length);
      const books = fairs.map((fair) => planQuotes(fair, 0));
      const sumOf = (side: string) => books.reduce((sum, quotes) => sum + best(quotes, 'YES', side), 0);
      expect(sumOf('sell')).toBeGreaterThan(1_000_000);
      expect(sumOf('buy')).toBeLessThan(1_000_000);
    }
  });
});
