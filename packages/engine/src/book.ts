// What a book is: the resting orders of one outcome, both sides, in price-time priority.
import type { Outcome, Side } from '@presage/protocol/engine-types';

/** No order, no level, no price. */
export const NONE = -1;

/** What a book must know of an order to rank it. `slot` names it among all orders on books of one engine. */
export interface BookOrder {
  readonly slot: number;
  readonly side: Side;
  readonly price: number;
  /** Time priority: lower came first. */
  readonly sequence: number;
}

export interface Level {
  readonly price: number;
  /** The exact total: a number while it is a safe integer, a bigint above. */
  readonly size: number | bigint;
}

/**
 * One contract, two bodies: `NaiveBook`, written to be believed, and `FastBook`, written to be quick.
 * A book never judges: it may be crossed for a moment, inside a step.
 */
export interface Book {
  /** Ranks the order by its sequence, so that one given back its size stands where it stood. */
  insert(order: BookOrder, size: number): void;
  /** Takes a part; at nothing left the order leaves the book. Answers what is left. */
  take(slot: number, size: number): number;
  /** Gives size back to an order that rests; its place does not change. */
  give(slot: number, size: number): void;
  /** Takes the order off the book. Answers what was left of it. */
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
  /** Hash of the levels (api.md, section 10). */
  hash(): bigint;
}

export type CreateBook = (outcome: Outcome) => Book;
