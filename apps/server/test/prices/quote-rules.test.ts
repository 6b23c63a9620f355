// Which quotes are believed, and how texts become exact prices.
import { describe, expect, it } from 'vitest';
import { priceFromDecimal, priceFromMantissa } from '../../src/prices/exact-price.ts';
import type { Quote } from '../../src/prices/ports.ts';
import { judgeQuote, type QuoteContext } from '../../src/prices/quote-rules.ts';

const NOW = 1_900_000_000_000;
const good: Quote = {
  asset: 'BTC',
  price: 10_000_000_000_000,
  timeMs: NOW,
  source: 'pyth',
  simulated: false,
  confidence: 0,
};
const context: QuoteContext = { nowMs: NOW, previous: undefined, primary: undefined, allowsSimulated: false };

describe('a quote is judged', () => {
  it('by the first thing that is wrong with it', () => {
    const previous = { ...good, timeMs: NOW + 6_000 };
    const primary = { ...good, price: 5_000_000_000_000, timeMs: NOW - 20_000 };
    const worst = { ...good, simulated: true, timeMs: NOW - 10_001, confidence: 200_000_000_001 };
    const rows: [Quote, Partial<QuoteContext>, string | undefined][] = [
      [worst, { previous, primary }, 'simulated'],
      [{ ...worst, simulated: false }, { previous, primary }, 'stale'],
      [{ ...worst, simulated: false, timeMs: NOW + 5_001 }, { previous, primary }, 'ahead'],
      [{ ...worst, simulated: false, timeMs: NOW }, { previous, primary }, 'out_of_order'],
      [{ ...worst, simulated: false, timeMs: NOW }, { primary }, 'unsure'],
      [good, { primary }, 'deviates'],
      [good, {}, undefined],
    ];
    for (const [quote, change, fault] of rows) expect(judgeQuote(quote, { ...context, ...change })).toBe(fault);
  });

  it('as fresh up to ten seconds, and not ahead up to five', () => {
    expect(judgeQuote({ ...good, timeMs: NOW - 10_000 }, context)).toBeUndefined();
    expect(judgeQuote({ ...good, timeMs: NOW + 5_000 }, context)).toBeUndefined();
  });

  it('by its distance from the primary: a fallback within a twentieth, the primary itself within a quarter in a minute', () => {
    const primary = { ...good, timeMs: NOW - 30_000 };
    const at = (source: Quote['source'], percent: number, primaryAgeMs = 30_000) =>
      judgeQuote(
        { ...good, source, price: good.price * (1 + percent / 100) },
        { ...context, primary: { ...primary, timeMs: NOW - primaryAgeMs } },
      );
    expect([at('coinbase', 5), at('coinbase', -5), at('pyth', 25)]).toEqual([undefined, undefined, undefined]);
    expect([at('coinbase', 5.1), at('binance', -5.1), at('pyth', -25.1)]).toEqual(['deviates', 'deviates', 'deviates']);
    expect([at('coinbase', 50, 600_001), at('pyth', 50, 60_001)]).toEqual([undefined, undefined]);
  });

  it('as a simulated market moves: as far as anybody likes', () => {
    const primary = { ...good, simulated: true, timeMs: NOW - 1_000 };
    const leap = { ...good, simulated: true, price: 1 };
    expect(judgeQuote(leap, { ...context, primary, allowsSimulated: true })).toBeUndefined();
  });
});

describe('exact prices', () => {
  it.each([
    ['65000.12', 6_500_012_000_000],
    ['0.00000001', 1],
    ['0.000000015', 2],
    ['0.000000014', 1],
    ['90071992.54740991', Number.MAX_SAFE_INTEGER],
    ['90071992.54740992', undefined],
    ['0', undefined],
    ['0.000000004', undefined],
    ['-1', undefined],
    ['1e5', undefined],
    ['', undefined],
    ['NaN', undefined],
  ])('of the text %s', (text, price) => expect(priceFromDecimal(text)).toBe(price));

  it.each([
    [6_500_012_345_678n, -8, 6_500_012_345_678],
    [1_234_567n, -10, 12_346],
    [5n, 2, 50_000_000_000],
    [0n, -8, undefined],
    [-5n, -8, undefined],
    [1n, 30, undefined],
    [1n, -100, undefined],
  ])('of %s with exponent %s', (mantissa, expo, price) => expect(priceFromMantissa(mantissa, expo)).toBe(price));

  it('refuse what is no text', () => expect(priceFromDecimal(5)).toBeUndefined());
});
