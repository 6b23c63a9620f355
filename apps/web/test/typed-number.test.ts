// Every number typed into the page is read exactly as it is written, or refused with words.
import { fromMillionths, seedFromEnv } from '@presage/testkit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readNumber, readPrice } from '../src/lib/typed-number.ts';

const seed = seedFromEnv(28);
const EXPECTED = 'Enter how many, above 0 and with at most 6 decimals';
const read = (text: string, unit: 'dollars' | 'shares' | 'cents' = 'dollars') =>
  readNumber(text, { unit, expected: EXPECTED });

describe('a typed number', () => {
  it.each([
    ['25', 25_000_000n],
    ['$25', 25_000_000n],
    [' 25 ', 25_000_000n],
    ['.5', 500_000n],
    ['$.5', 500_000n],
    ['5.', 5_000_000n],
    ['0.000001', 1n],
    ['007', 7_000_000n],
    ['1.234', 1_234_000n],
    ['1,234.56', 1_234_560_000n],
    ['1,234.', 1_234_000_000n],
    ['$1,234.5', 1_234_500_000n],
    ['1,234,567', 1_234_567_000_000n],
    ['12,345,678.9', 12_345_678_900_000n],
  ])('is read as it is written: %j', (text, units) => {
    expect(read(text)).toEqual({ units });
  });

  it.each([
    ['1,5', 'Use a point for decimals: 1.5'],
    ['0,5', 'Use a point for decimals: 0.5'],
    [',5', 'Use a point for decimals: .5'],
    ['5,', 'Use a point for decimals: 5.'],
    ['$1,50', 'Use a point for decimals: 1.50'],
    ['0,123', 'Use a point for decimals: 0.123'],
    ['1234,567', 'Use a point for decimals: 1234.567'],
    ['1.234,56', 'Use a point for decimals: 1234.56'],
    ['1.234.567,8', 'Use a point for decimals: 1234567.8'],
    ['1,234', 'Write 1234, or 1.234 with a point: the comma is ambiguous'],
    ['12,34,567', 'Use a point for decimals: 12.5'],
    ['0,123,456', 'Use a point for decimals: 12.5'],
    ['1,2345.6', 'Use a point for decimals: 12.5'],
    [',', 'Use a point for decimals: 12.5'],
  ])('is refused with words: %j', (text, problem) => {
    expect(read(text)).toEqual({ problem });
  });

  it.each([
    '',
    '  ',
    '.',
    '$',
    '$$5',
    '5$',
    '$ 5',
    '-5',
    '−5',
    '+5',
    '1e3',
    '0x10',
    '１２',
    '٣',
    '1 000',
    '1\u00a0000',
    "1'000",
    '1_000',
    '1.2.3',
    '1..5',
    '1.0000001',
    'Infinity',
    'NaN',
    'ten',
    '0',
    '0.0',
    '1\n2',
  ])('is refused with what the field expects: %j', (text) => {
    expect(read(text)).toEqual({ problem: EXPECTED });
  });

  it('takes a dollar sign only where dollars are asked for', () => {
    expect(read('$25', 'shares')).toEqual({ problem: EXPECTED });
    expect(read('$25', 'cents')).toEqual({ problem: EXPECTED });
  });

  it('is what was formatted, plain or grouped, for any amount', () => {
    const grouped = new Intl.NumberFormat('en-US', { minimumFractionDigits: 1, maximumFractionDigits: 6 });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 10 ** 15 }), (units) => {
        expect(read(fromMillionths(units)).units).toBe(BigInt(units));
        expect(read(grouped.format(units / 1_000_000)).units).toBe(BigInt(units));
      }),
      { seed, numRuns: 5_000 },
    );
  });

  it('is never another number than the one that its digits and its point say, whatever is typed', () => {
    const typed = fc.string({ unit: fc.constantFrom(...'0123459.,$ -+e_x'), maxLength: 9 });
    fc.assert(
      fc.property(typed, (text) => {
        const { units } = read(text);
        if (units === undefined) return;
        expect(Number(units) / 1_000_000).toBe(Number(text.trim().replace('$', '').replaceAll(',', '')));
        expect(text.split('.').at(-1)).not.toContain(text.includes('.') ? ',' : '.');
      }),
      { seed, numRuns: 20_000 },
    );
  });
});

describe('a typed price', () => {
  it.each([
    ['55', 550_000],
    ['55.5', 555_000],
    ['.0001', 1],
    ['99.9999', 999_999],
  ])('is in cents: %j', (text, price) => {
    expect(readPrice(text)).toEqual({ price });
  });

  it.each(['0', '100', '55.00001', '1e1', '$0.55', ''])('is refused with its range: %j', (text) => {
    expect(readPrice(text).problem).toBe('Enter a price from 0.0001 to 99.9999¢');
  });

  it('with a decimal comma is refused with words', () => {
    expect(readPrice('55,5').problem).toBe('Use a point for decimals: 55.5');
  });
});
