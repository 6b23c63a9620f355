// A book for display: grouped rows with running totals, its best prices, its spread, and whether it is thin.
import { costOf, type Price, type Size } from '@presage/protocol/browser';
import type { BookEvent, BookLevel } from '@presage/sdk';

export interface LadderRow {
  readonly price: number;
  readonly size: bigint;
  /** Dollars from the best price down to this one, in millionths. */
  readonly total: bigint;
}

export interface Top {
  readonly bid: number | undefined;
  readonly ask: number | undefined;
  readonly spread: number | undefined;
  readonly mid: number | undefined;
  readonly isThin: boolean;
}

/** Above these limits the book is too thin for its price to mean much. */
const WIDE_SPREAD = 100_000;
const SHALLOW = 50_000_000n;

export function worthOf({ price, size }: { readonly price: number; readonly size: number | bigint }): bigint {
  // Levels of a book have a price and a size that were checked as their orders came in.
  return typeof size === 'number' ? costOf(price as Price, size as Size) : (BigInt(price) * size) / 1_000_000n;
}

/** Best first. Asks are grouped upward and bids downward: a group never looks better than what is in it. */
export function toLadder(levels: readonly BookLevel[], side: 'bids' | 'asks', group: number): LadderRow[] {
  const rows: { price: number; size: bigint; total: bigint }[] = [];
  let total = 0n;
  for (const level of levels) {
    total += worthOf(level);
    const price = side === 'asks' ? Math.ceil(level.price / group) * group : Math.floor(level.price / group) * group;
    const last = rows.at(-1);
    if (last?.price === price) Object.assign(last, { size: last.size + BigInt(level.size), total });
    else rows.push({ price, size: BigInt(level.size), total });
  }
  return rows;
}

export function topOf(book: BookEvent | undefined): Top {
  const [bid, ask] = [book?.bids[0], book?.asks[0]];
  if (bid === undefined || ask === undefined) {
    return { bid: bid?.price, ask: ask?.price, spread: undefined, mid: undefined, isThin: true };
  }
  const spread = ask.price - bid.price;
  const isThin = spread > WIDE_SPREAD || worthOf(bid) + worthOf(ask) < SHALLOW;
  return { bid: bid.price, ask: ask.price, spread, mid: Math.round((bid.price + ask.price) / 2), isThin };
}
