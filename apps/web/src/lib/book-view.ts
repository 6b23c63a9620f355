// Prepares a book for display: grouped rows with running totals, best prices, spread, thinness, and the wallet's own orders in it.
import { costOf, type Price, type Size } from '@presage/protocol/browser';
import type { BookEvent, BookLevel, OpenOrder, OutcomeName } from '@presage/sdk';
import { outcomeOf } from './outcomes.ts';

export interface LadderRow {
  readonly price: number;
  readonly size: bigint;
  /** Running total from the best price to this one, in millionths of a dollar. */
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
  // The service checked price and size when it accepted the orders, so the casts are safe.
  return typeof size === 'number' ? costOf(price as Price, size as Size) : (BigInt(price) * size) / 1_000_000n;
}

/** Rows, best first. Groups asks upward and bids downward, so that a group never looks better than its orders. */
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

/** The wallet's own sizes by side and price (`asks 550000`, `bids 530000`), grouped like the rows. */
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

/** Shares of this outcome that the wallet's open orders offer: these orders may sell them before a new one does. */
export function offeredSize(orders: readonly OpenOrder[], marketId: string, outcome: OutcomeName): bigint {
  const offers = ownOrders(orders, marketId, outcome).filter(({ side }) => side === 1);
  return offers.reduce((sum, { remainingSize }) => sum + BigInt(remainingSize), 0n);
}

/** The wallet's open orders of one outcome of a market. */
export function ownOrders(orders: readonly OpenOrder[], marketId: string, outcome: OutcomeName): readonly OpenOrder[] {
  return orders.filter((order) => order.marketId === marketId && outcomeOf(order.outcome) === outcome);
}

/** The book without the wallet's own orders, which it cannot trade with. */
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
