// The depth of a book around its mid, and what is reached up to a price.
import type { BookEvent } from '@presage/sdk';
import { describe, expect, it } from 'vitest';
import { depthOf, reachedBy } from '../src/lib/depth.ts';

const size = 100_000_000;
const BOOK: BookEvent = {
  type: 'book',
  marketId: '0x',
  outcome: 'YES',
  seq: 1,
  hash: '',
  bids: [530_000, 400_000, 380_000].map((price) => ({ price, size })),
  asks: [550_000, 690_000, 700_000].map((price) => ({ price, size })),
};

describe('the depth of a book', () => {
  const depth = depthOf(BOOK);

  it('reaches 15 cents to either side of the mid, and leaves out what stands further away', () => {
    expect([depth.low, depth.mid, depth.high]).toEqual([390_000, 540_000, 690_000]);
    expect(depth.bids.map(({ price }) => price)).toEqual([530_000, 400_000]);
    expect(depth.asks.map(({ price }) => price)).toEqual([550_000, 690_000]);
  });

  it('adds up shares and dollars from the best price on', () => {
    expect(depth.asks.at(-1)).toEqual({ price: 690_000, size: 200_000_000n, total: 124_000_000n });
    expect(depth.bids.at(-1)).toEqual({ price: 400_000, size: 200_000_000n, total: 93_000_000n });
  });

  it('tells what is reached up to a price, and nothing between the two sides', () => {
    expect(reachedBy(depth, 600_000)).toMatchObject({ side: 'asks', price: 550_000, total: 55_000_000n });
    expect(reachedBy(depth, 395_000)).toMatchObject({ side: 'bids', price: 400_000, total: 93_000_000n });
    expect(reachedBy(depth, 540_000)).toBeUndefined();
  });

  it('stays within 0 and 100 cents', () => {
    const { low, high } = depthOf({ ...BOOK, bids: [], asks: [{ price: 990_000, size }] });
    expect([low, high]).toEqual([840_000, 1_000_000]);
  });
});
