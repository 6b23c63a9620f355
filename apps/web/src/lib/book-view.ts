// A book for display: grouped rows with running totals, its best prices, its spread, whether it is thin, and what of it is one's own.
import { costOf, type Price, type Size } from '@presage/protocol/browser';
import type { BookEvent, BookLevel, OpenOrder, OutcomeName } from '@presage/sdk';
import { outcomeOf } from './outcomes.ts';

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

/** Keys are `asks 550000` and `bids 530000`, grouped as the rows are. */
export function ownSizes(
  orders: readonly OpenOrder[],
  marketId: string,
  outcome: OutcomeName,
  group: number,
): ReadonlyMap<string, bigint> {
  const sizes = new Map<string, bigint>();
  for (const order of ownOrders(orders, marketId, outcome)) {
    const units = Number(order.price) / group;
    const key = order.side === 1 ? `asks ${Math.ceil(units) * group}` : `bids ${Math.floor(units) * group}`;
    sizes.set(key, (sizes.get(key) ?? 0n) + BigInt(order.remainingSize));
  }
  return sizes;
}

/** Shares that open orders of this outcome offer: they may be sold before anything else is. */
export function offeredSize(orders: readonly OpenOrder[], marketId: string, outcome: OutcomeName): bigint {
  const offers = ownOrders(orders, marketId, outcome).filter(({ side }) => side === 1);
  return offers.reduce((sum, { remainingSize }) => sum + BigInt(remainingSize), 0n);
}

/** The wallet's open orders of one outcome of a market. */
export function ownOrders(orders: readonly OpenOrder[], marketId: string, outcome: OutcomeName): readonly OpenOrder[] {
  return orders.filter((order) => order.marketId === marketId && outcomeOf(order.outcome) === outcome);
}

/** The book of everybody else: nobody trades with themselves. */
export function withoutOwn(book: BookEvent | undefined, own: readonly OpenOrder[]): BookEvent | undefined {
  if (book === undefined || own.length === 0) return book;
  const others = (levels: readonly BookLevel[], side: number) =>
    levels
      .map((level) => ({ ...level, size: Number(level.size) - sizeAt(own, side, level.price) }))
      .filter(({ size }) => size > 0);
  return { ...book, bids: others(book.bids, 0), asks: others(book.asks, 1) };
}

function sizeAt(own: readonly OpenOrder[], side: number, price: number): number {
  return own
    .filter((order) => order.side === side && Number(order.price) === price)
    .reduce((sum, { remainingSize }) => sum + Number(remainingSize), 0);
}
