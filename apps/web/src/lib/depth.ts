// The depth of a book around its mid: running totals, and the totals up to a given price.
import type { BookEvent, BookLevel } from '@presage/sdk';
import { type LadderRow, topOf, worthOf } from './book-view.ts';

/** Running totals of shares and dollars from the best price to this one. */
export type DepthStep = LadderRow;

export interface Depth {
  /** Steps of the bids, best first. */
  readonly bids: readonly DepthStep[];
  readonly asks: readonly DepthStep[];
  readonly low: number;
  readonly mid: number;
  readonly high: number;
}

/** Distance from the mid that is shown; orders further away say nothing about the price. */
const REACH = 150_000;
const ONE = 1_000_000;

export function depthOf(book: BookEvent): Depth {
  const top = topOf(book);
  const mid = top.mid ?? top.bid ?? top.ask ?? ONE / 2;
  const [low, high] = [Math.max(0, mid - REACH), Math.min(ONE, mid + REACH)];
  const bids = stepsOf(book.bids.filter(({ price }) => price >= low));
  const asks = stepsOf(book.asks.filter(({ price }) => price <= high));
  return { bids, asks, low, mid, high };
}

function stepsOf(levels: readonly BookLevel[]): DepthStep[] {
  let [size, total] = [0n, 0n];
  return levels.map((level) => {
    size += BigInt(level.size);
    total += worthOf(level);
    return { price: level.price, size, total };
  });
}

/** The totals from the best price to `price`; undefined between the two sides. */
export function reachedBy(
  { bids, asks }: Pick<Depth, 'bids' | 'asks'>,
  price: number,
): (DepthStep & { readonly side: 'bids' | 'asks' }) | undefined {
  const ask = asks.findLast((step) => step.price <= price);
  if (ask !== undefined) return { ...ask, side: 'asks' };
  const bid = bids.findLast((step) => step.price >= price);
  return bid && { ...bid, side: 'bids' };
}
