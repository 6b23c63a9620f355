// The interface of a book: the resting orders of one outcome, both sides, in price-time priority.
import type { Outcome, Side } from '@presage/protocol/engine-types';

/** Stands for no order, no level or no price. */
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
  /**
   * Adds an order by its handle. Orders rank by their sequence, lower first, so that an order that regains its size
   * keeps its time priority.
   */
  insert(slot: number, side: Side, price: number, sequence: number, size: number): void;
  /** Subtracts a size and returns the rest; an order without a rest leaves the book. */
  take(slot: number, size: number): number;
  /** Returns size to a resting order without changing its place. */
  give(slot: number, size: number): void;
  /** Removes the order and returns its remaining size. */
  remove(slot: number): number;
  remaining(slot: number): number;
  /** Best price of a side; NONE if it is empty. */
  best(side: Side): number;
  /** Slot of the order that trades first; NONE if the side is empty. */
  first(side: Side): number;
  /** Slot of the next order to trade on the same side. */
  next(slot: number): number;
  levelSize(side: Side, price: number): number | bigint;
  /** Levels, best first. */
  levels(side: Side, limit?: number): Level[];
  /** Hash of the levels (docs/protocol.md, "Book hash"). */
  hash(): bigint;
}

export type CreateBook = (outcome: Outcome) => Book;
