// The made-up market: a function of time that looks like a market.
import { KNOWN_FEEDS } from '@presage/protocol';
import { SeededRandom, seedFromEnv } from '@presage/testkit';
import { describe, expect, it } from 'vitest';
import { walkPrice } from '../../src/feed/price-walk.ts';

const BTC = KNOWN_FEEDS[0]!.pyth;
const SEED = seedFromEnv(20_261_115);

describe('the walk', () => {
  it('gives the same second the same price, in whatever order seconds are asked for', () => {
    const random = new SeededRandom(SEED);
    const seconds = Array.from({ length: 500 }, () => random.int(1_700_000_000, 2_200_000_000));
    const first = new Map(seconds.map((second) => [second, walkPrice(BTC, second)]));
    for (const second of random.shuffle(seconds)) expect(walkPrice(BTC, second)).toBe(first.get(second));
    // Written down once: a sandbox of yesterday must find yesterday's prices after an upgrade.
    expect(
      [1_800_000_000, 1_800_000_001, 1_900_000_000].map((second) => walkPrice(BTC, second)),
    ).toMatchInlineSnapshot(`
      [
        10418738677737,
        10419117826216,
        9793553137082,
      ]
    `);
  });

  it.each(KNOWN_FEEDS)(
    'keeps $asset positive, whole, near where it was a second ago and within a fifth of its centre',
    ({ pyth }) => {
      const random = new SeededRandom(SEED);
      const prices = Array.from({ length: 2_000 }, () => {
        const second = random.int(1_700_000_000, 2_200_000_000);
        const [price, next] = [walkPrice(pyth, second), walkPrice(pyth, second + 1)];
        expect(Number.isSafeInteger(price) && price > 0).toBe(true);
        expect(Math.abs(next - price) / price).toBeLessThan(0.002);
        return price;
      });
      expect(Math.max(...prices) / Math.min(...prices)).toBeLessThan(1.5);
    },
  );

  it('goes up about as often as down over a quarter of an hour, and is seldom the same', () => {
    let [up, same] = [0, 0];
    for (let window = 0; window < 2_000; window++) {
      const [start, end] = [walkPrice(BTC, window * 900), walkPrice(BTC, window * 900 + 900)];
      if (end > start) up++;
      if (end === start) same++;
    }
    expect(up).toBeGreaterThan(850);
    expect(up).toBeLessThan(1_150);
    expect(same).toBeLessThan(5);
  });

  it('moves every asset its own way', () => {
    const directions = KNOWN_FEEDS.slice(0, 4).map(({ pyth }) =>
      Array.from({ length: 64 }, (_, hour) =>
        Math.sign(walkPrice(pyth, hour * 3_600 + 3_600) - walkPrice(pyth, hour * 3_600)),
      ).join(),
    );
    expect(new Set(directions).size).toBe(4);
  });
});
