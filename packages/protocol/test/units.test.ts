// The one rounding rule, against vectors that Solidity reads too and against plain bigints.
import { seedFromEnv } from '@presage/testkit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import costs from '../../../vectors/cost.json' with { type: 'json' };
import { costOf, isPrice, isSize, MAX_SIZE, proceedsRoundedDown, subtractSize, toPrice, toSize } from '../src/index.ts';

const price = fc.integer({ min: 1, max: 999_999 }).map(toPrice);
const size = fc
  .oneof(
    fc.integer({ min: 1, max: 10_000_000 }),
    fc.maxSafeNat().filter((n) => n > 0),
  )
  .map(toSize);

const seed = seedFromEnv(20_261_115);

describe('units', () => {
  it('cost is the same as in every shared vector', () => {
    expect(costs.length).toBeGreaterThan(200);
    for (const vector of costs) {
      expect(costOf(toPrice(vector.price), toSize(Number(vector.size)))).toBe(BigInt(vector.cost));
    }
  });

  it('cost is the ceiling of price times size over a million, for any price and size', () => {
    fc.assert(
      fc.property(price, size, (p, s) => {
        expect(costOf(p, s)).toBe((BigInt(p) * BigInt(s) + 999_999n) / 1_000_000n);
      }),
      { numRuns: 5_000, seed },
    );
  });

  it('a buyer never pays more than one unit a share, and a seller never reserves on more than that', () => {
    fc.assert(
      fc.property(price, size, (p, s) => {
        expect(costOf(p, s) <= BigInt(s)).toBe(true);
        expect(costOf(p, s) - proceedsRoundedDown(p, s)).toBeOneOf([0n, 1n]);
      }),
      { seed },
    );
  });

  it('refuses what is not a price, a size or enough', () => {
    for (const bad of [0, -1, 1_000_000, 0.5, Number.NaN]) expect(isPrice(bad)).toBe(false);
    for (const bad of [0, -1, MAX_SIZE + 1, 1.5, Number.POSITIVE_INFINITY]) expect(isSize(bad)).toBe(false);
    expect(() => toPrice(1_000_000)).toThrow(RangeError);
    expect(() => toSize(0)).toThrow(RangeError);
    expect(() => subtractSize(1, 2)).toThrow(RangeError);
  });
});
