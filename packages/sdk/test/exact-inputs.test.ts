// Amounts as text become exact integers or are refused: never rounded.
import { formatMillionths } from '@presage/protocol';
import { SeededRandom, seedFromEnv } from '@presage/testkit';
import { describe, expect, it } from 'vitest';
import { PresageInputError, parseAmount, parsePrice, parseSize } from '../src/index.ts';

const seed = seedFromEnv(20_261_115);

describe('a price as text', () => {
  it.each([
    ['0.55', 550_000],
    ['0.000001', 1],
    ['0.999999', 999_999],
    ['55c', 550_000],
    ['55.5¢', 555_000],
    ['0.0001c', 1],
    ['99.9999 c', 999_999],
    [550_000n, 550_000],
  ])('is exactly what was written: %s', (input, units) => {
    expect(parsePrice(input)).toBe(units);
  });

  it.each(['0', '1', '1.0', '0.0000001', '0.00001c', '100c', '-0.5', '5e-1', '.5', '0,5', ' 0.5', '', 'c', '0.5.5'])(
    'is refused when it does not fit: %j',
    (input) => expect(() => parsePrice(input)).toThrow(PresageInputError),
  );

  it('is refused out of range as bigint units too', () => {
    for (const units of [0n, 1_000_000n, -1n, 2n ** 64n + 550_000n]) {
      expect(() => parsePrice(units)).toThrow(PresageInputError);
    }
  });
});

describe('a size as text', () => {
  it('keeps every digit up to 2^53-1 millionths, and is refused beyond', () => {
    expect(parseSize('9007199254.740991')).toBe(Number.MAX_SAFE_INTEGER);
    for (const input of ['9007199254.740992', '0', '0.000000', '1.0000001', '1e3', 2n ** 53n]) {
      expect(() => parseSize(input), String(input)).toThrow(PresageInputError);
    }
  });

  it('survives formatting and parsing for any number of units', () => {
    const random = new SeededRandom(seed);
    for (let round = 0; round < 5_000; round++) {
      const units = 1 + Math.floor(random.fraction() ** 4 * (Number.MAX_SAFE_INTEGER - 1));
      expect(parseSize(formatMillionths(units)), `seed ${seed}, round ${round}`).toBe(units);
    }
  });
});

describe('an amount of stablecoin', () => {
  it('may be any uint64 above 0', () => {
    expect(parseAmount('amount', '18446744073709.551615')).toBe(2n ** 64n - 1n);
    expect(() => parseAmount('amount', '18446744073709.551616')).toThrow('amount must be');
    expect(() => parseAmount('amount', '0')).toThrow(PresageInputError);
  });
});
