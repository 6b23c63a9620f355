// What a book is: the resting orders of one outcome, both sides, in price-time priority.
import type { Outcome, Side } from '@presage/protocol/engine-types';

/** No order, no level, no price. */
export const NONE = -1;

export interface Level {
  readonly price: number;
  /** The exact total: a number while it is a safe integer, a bigint above. */
  readonly size: number | bigint;
}

/**
 * One interface, two implementations: `NaiveBook` of the testkit, written for clarity, and `FastBook`, written for speed.
 * A book makes no decisions: within a step it may be crossed.
 */
export interface Book {
  /** `slot` is the order's handle. Ranks it by its sequence, lower first, so that an order that regains its size keeps its time priority. */
  insert(slot: number, side: Side, price: number, sequence: number, size: number): void;
  /** Takes a part; an order with nothing left leaves the book. Returns what is left. */
  take(slot: number, size: number): number;
  /** Gives size back to a resting order; its place does not change. */
  give(slot: number, size: number): void;
  /** Removes the order. Returns what was left of it. */
  remove(slot: number): number;
  remaining(slot: number): number;
  /** Best price of a side; NONE when it is empty. */
  best(side: Side): number;
  /** Slot of the order that trades first; NONE when the side is empty. */
  first(side: Side): number;
  /** Slot of the order that trades right after this one, on its side. */
  next(slot: number): number;
  levelSize(side: Side, price: number): number | bigint;
  /** Best first. */
  levels(side: Side, limit?: number): Level[];
  /** Hash of the levels (docs/protocol.md, "Book hash"). */
  hash(): bigint;
}

export type CreateBook = (outcome: Outcome) => Book;
