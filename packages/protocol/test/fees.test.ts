// What takers are charged, against vectors that Solidity reads too and against plain bigints.
import { seedFromEnv } from '@presage/testkit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import vectors from '../../../vectors/fees.json' with { type: 'json' };
import {
  BUY,
  costOf,
  fillFees,
  highestFee,
  isFeeRate,
  isMakerShare,
  MAX_FEE_RATE_BPS,
  MAX_SIZE,
  makerRebate,
  proceedsRoundedDown,
  SELL,
  takerFee,
  toPrice,
  toSize,
} from '../src/index.ts';

const seed = seedFromEnv(20_261_117);
const rate = fc.integer({ min: 0, max: MAX_FEE_RATE_BPS });
const share = fc.integer({ min: 0, max: 10_000 });
const price = fc.integer({ min: 1, max: 999_999 }).map(toPrice);
const size = fc.oneof(fc.integer({ min: 1, max: 10_000_000 }), fc.integer({ min: 1, max: MAX_SIZE })).map(toSize);

describe('fees', () => {
  it('are the same as in every shared vector', () => {
    expect(vectors.length).toBeGreaterThan(500);
    for (const { feeRateBps, makerShareBps, ...vector } of vectors) {
      const fee = takerFee(feeRateBps, toSize(Number(vector.size)), toPrice(vector.price));
      expect(fee).toBe(BigInt(vector.fee));
      expect(makerRebate(fee, makerShareBps)).toBe(BigInt(vector.makerRebate));
    }
  });

  it('are the rate of size times price times its complement, rounded up, for any of them', () => {
    fc.assert(
      fc.property(rate, price, size, (r, p, s) => {
        const exact = BigInt(r) * BigInt(s) * BigInt(p) * BigInt(1_000_000 - p);
        const fee = takerFee(r, s, p);
        expect(fee * 10n ** 16n >= exact && (fee - 1n) * 10n ** 16n < exact).toBe(true);
        expect(Number.isSafeInteger(Number(fee))).toBe(true);
      }),
      { numRuns: 5_000, seed },
    );
  });

  it('never take more than a seller gets, nor give a maker back more than was taken', () => {
    fc.assert(
      fc.property(rate, share, price, size, (r, part, p, s) => {
        const fee = takerFee(r, s, p);
        expect(fee <= costOf(p, s)).toBe(true);
        expect(makerRebate(fee, part) <= fee && makerRebate(fee, part) >= 0n).toBe(true);
      }),
      { numRuns: 2_000, seed },
    );
  });

  it('cost most together with the price at the limit of an order, whichever side it is on', () => {
    fc.assert(
      fc.property(rate, price, price, size, (r, a, b, s) => {
        const [low, high] = a < b ? [a, b] : [b, a];
        expect(costOf(low, s) + takerFee(r, s, low) <= costOf(high, s) + takerFee(r, s, high) + 1n).toBe(true);
        const mint = (p: typeof low) => BigInt(s) - proceedsRoundedDown(p, s) + takerFee(r, s, p);
        expect(mint(high) <= mint(low) + 1n).toBe(true);
      }),
      { numRuns: 5_000, seed },
    );
  });

  it('are never above the highest of any price that the limit allows', () => {
    fc.assert(
      fc.property(rate, price, price, size, (r, a, b, s) => {
        const [low, high] = a < b ? [a, b] : [b, a];
        expect(takerFee(r, s, low) <= highestFee(r, BUY, s, high)).toBe(true);
        expect(takerFee(r, s, high) <= highestFee(r, SELL, s, low)).toBe(true);
      }),
      { numRuns: 2_000, seed },
    );
    expect(highestFee(700, BUY, toSize(1_000_000), toPrice(900_000))).toBe(17_500n);
    expect(highestFee(700, BUY, toSize(1_000_000), toPrice(100_000))).toBe(6_300n);
    expect(highestFee(700, SELL, toSize(1_000_000), toPrice(900_000))).toBe(6_300n);
  });

  it('are absent from a record where they are nothing', () => {
    expect(fillFees({}, toSize(5), toPrice(500_000))).toEqual({});
    expect(fillFees({ makerShareBps: 5_000 }, toSize(5), toPrice(500_000))).toEqual({});
    expect(fillFees({ feeRateBps: 1, makerShareBps: 5_000 }, toSize(1), toPrice(1))).toEqual({ fee: 1 });
    expect(fillFees({ feeRateBps: 200, makerShareBps: 2_500 }, toSize(1_000_000), toPrice(500_000))).toEqual({
      fee: 5_000,
      makerRebate: 1_250,
    });
  });

  it('have rates within the bounds of the contract', () => {
    for (const good of [0, 1, 700]) expect(isFeeRate(good)).toBe(true);
    for (const bad of [-1, 701, 0.5, Number.NaN]) expect(isFeeRate(bad)).toBe(false);
    for (const good of [0, 10_000]) expect(isMakerShare(good)).toBe(true);
    for (const bad of [-1, 10_001, 0.5]) expect(isMakerShare(bad)).toBe(false);
  });
});
