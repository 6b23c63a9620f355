// The chance of a market: the one definition, case by case.
import { describe, expect, it } from 'vitest';
import { type BestPrices, chanceOf, quoteYes } from '../src/core/chance.ts';

const NOBODY: BestPrices = { yesBid: 0, yesAsk: 0, noBid: 0, noAsk: 0 };

describe('offers in terms of YES', () => {
  it('count those for NO at what they leave of 1', () => {
    expect(quoteYes({ ...NOBODY, noBid: 370_000, noAsk: 400_000 })).toEqual({ bid: 600_000, ask: 630_000 });
  });

  it('take the better of both books', () => {
    const best = { yesBid: 590_000, yesAsk: 650_000, noBid: 360_000, noAsk: 390_000 };
    expect(quoteYes(best)).toEqual({ bid: 610_000, ask: 640_000 });
  });
});

describe('the chance', () => {
  it.each([
    ['is the middle of offers within 10 cents', { bid: 600_000, ask: 640_000 }, 100_000, 620_000],
    ['is the middle of offers exactly 10 cents apart', { bid: 600_000, ask: 700_000 }, 100_000, 650_000],
    ['is the last trade when they are further apart', { bid: 600_000, ask: 700_001 }, 550_000, 550_000],
    ['is the last trade when one side is empty', { bid: 600_000, ask: 0 }, 550_000, 550_000],
    ['is nothing without offers and trades', { bid: 0, ask: 0 }, 0, null],
    ['is nothing with wide offers and no trade', { bid: 100_000, ask: 900_000 }, 0, null],
    ['is the middle of books that cross each other', { bid: 620_000, ask: 600_000 }, 0, 610_000],
  ])('%s', (_, quote, lastYesPrice, expected) => {
    expect(chanceOf(quote, lastYesPrice)).toBe(expected);
  });
});
