// The mutable state of an engine's orders beside their signed records: one cache line each, and a separate pair of counts.
import { ORDER_STATUSES, type OrderStatus, type Outcome, type Side } from '@presage/protocol/engine-types';
import { NONE } from '../book/book.ts';
import { grownInt32, pagedCapacityFor, toBytes } from './grown.ts';

const FIRST_CAPACITY = 64;

/** Words per order in `words`. */
export const ORDER_WORDS = 16;
/** The level in which it rests; NONE while it is off the book. */
export const LEVEL = 0;
/** Neighbours in the level's queue; NONE at its ends. */
export const NEXT = 1;
export const PREVIOUS = 2;
export const ACCOUNT = 3;
/** Neighbours in its account's list of open or of final orders. */
export const NEXT_LISTED = 4;
export const PREVIOUS_LISTED = 5;
const FLAGS = 6;
const PRICE = 7;

/**
 * Numbers per order in `numbers`. They begin after its first eight words, because sizes and sequences exceed 32 bits.
 */
export const ORDER_NUMBERS = 8;
/** Size on the book. */
export const REMAINING = 4;
/** Time priority over the whole partition. */
export const SEQUENCE = 5;
/** Its expiration or the market's, whichever is sooner; then it may be dropped. */
export const LAPSES = 6;
/** Sum of its trades that have not failed. */
const FILLED = 7;

/** Words per order in `ties`. */
const TIE_WORDS = 2;
/** Number of remembered trades that it takes part in; above 0 the order is remembered too. */
const HOLDS = 0;
/** The last trade of its first step, linked to earlier ones. */
const LAST_FILL = 1;

const SIDE = 1;
const OUTCOME = 2;
/** Flag: the engine remembers the order. */
const PRESENT = 4;
/** Flag: the nonce outlives the order, because it traded or was cancelled on chain. */
const SPENT = 8;
const STATUS_SHIFT = 4;
const FIRST_STATUS_SHIFT = 6;
const STATUS_MASK = 3;

export const OPEN = ORDER_STATUSES.indexOf('open');
export const FILLED_STATUS = ORDER_STATUSES.indexOf('filled');

export class OrderSlab {
  words = new Int32Array(FIRST_CAPACITY * ORDER_WORDS);
  numbers = new Float64Array(this.words.buffer);
  ties = new Int32Array(FIRST_CAPACITY * TIE_WORDS);

  get capacity(): number {
    return this.words.length / ORDER_WORDS;
  }

  reserve(order: number): void {
    if (order < this.capacity) return;
    const capacity = pagedCapacityFor(order, this.capacity, 4 * ORDER_WORDS);
    this.#use(grownInt32(this.words, capacity * ORDER_WORDS));
    this.ties = grownInt32(this.ties, capacity * TIE_WORDS);
  }

  /** Begins an order that is open, off the book and unfilled. */
  begin(order: number, side: Side, outcome: Outcome, price: number): void {
    this.reserve(order);
    const at = order * ORDER_WORDS;
    this.words[at + LEVEL] = NONE;
    this.words[at + FLAGS] = PRESENT | side | (outcome << 1);
    this.words[at + PRICE] = price;
    this.numbers[order * ORDER_NUMBERS + REMAINING] = 0;
    this.numbers[order * ORDER_NUMBERS + FILLED] = 0;
    this.ties[order * TIE_WORDS + HOLDS] = 0;
    this.ties[order * TIE_WORDS + LAST_FILL] = NONE;
  }

  end(order: number): void {
    this.words[order * ORDER_WORDS + FLAGS] = 0;
  }

  isPresent(order: number): boolean {
    return order < this.capacity && (this.flags(order) & PRESENT) !== 0;
  }

  /** Whether the handle still means the order that had this stamp. */
  isStill(order: number, stamp: number): boolean {
    return this.isPresent(order) && this.stamp(order) === stamp;
  }

  /** Distinguishes consecutive orders with the same handle. */
  stamp(order: number): number {
    return this.sequence(order) | 0;
  }

  flags(order: number): number {
    return this.words[order * ORDER_WORDS + FLAGS]!;
  }

  side(order: number): Side {
    return (this.flags(order) & SIDE) === 0 ? 0 : 1;
  }

  outcome(order: number): Outcome {
    return (this.flags(order) & OUTCOME) === 0 ? 0 : 1;
  }

  account(order: number): number {
    return this.words[order * ORDER_WORDS + ACCOUNT]!;
  }

  price(order: number): number {
    return this.words[order * ORDER_WORDS + PRICE]!;
  }

  isOnBook(order: number): boolean {
    return this.words[order * ORDER_WORDS + LEVEL] !== NONE;
  }

  remaining(order: number): number {
    return this.numbers[order * ORDER_NUMBERS + REMAINING]!;
  }

  sequence(order: number): number {
    return this.numbers[order * ORDER_NUMBERS + SEQUENCE]!;
  }

  lapsesMs(order: number): number {
    return this.numbers[order * ORDER_NUMBERS + LAPSES]!;
  }

  filled(order: number): number {
    return this.numbers[order * ORDER_NUMBERS + FILLED]!;
  }

  /** Index into `ORDER_STATUSES`, as for all statuses here. */
  status(order: number): number {
    return (this.flags(order) >> STATUS_SHIFT) & STATUS_MASK;
  }

  isOpen(order: number): boolean {
    return this.status(order) === OPEN;
  }

  setStatus(order: number, status: number): void {
    const at = order * ORDER_WORDS + FLAGS;
    this.words[at] = (this.words[at]! & ~(STATUS_MASK << STATUS_SHIFT)) | (status << STATUS_SHIFT);
  }

  /** Status after its first step: the answer if the same order is submitted again. */
  firstStatus(order: number): number {
    return (this.flags(order) >> FIRST_STATUS_SHIFT) & STATUS_MASK;
  }

  setFirstStatus(order: number, status: number): void {
    const at = order * ORDER_WORDS + FLAGS;
    this.words[at] = (this.words[at]! & ~(STATUS_MASK << FIRST_STATUS_SHIFT)) | (status << FIRST_STATUS_SHIFT);
  }

  isSpent(order: number): boolean {
    return (this.flags(order) & SPENT) !== 0;
  }

  spend(order: number): void {
    this.words[order * ORDER_WORDS + FLAGS]! |= SPENT;
  }

  addFilled(order: number, size: number): void {
    this.numbers[order * ORDER_NUMBERS + FILLED]! += size;
  }

  holds(order: number): number {
    return this.ties[order * TIE_WORDS + HOLDS]!;
  }

  addHold(order: number, more: 1 | -1): void {
    this.ties[order * TIE_WORDS + HOLDS]! += more;
  }

  lastFill(order: number): number {
    return this.ties[order * TIE_WORDS + LAST_FILL]!;
  }

  setLastFill(order: number, trade: number): void {
    this.ties[order * TIE_WORDS + LAST_FILL] = trade;
  }

  /** Copies the orders below `used`: reserved memory that was never written stays untouched. */
  copy(used: number): OrderSlab {
    const words = grownInt32(this.words.subarray(0, used * ORDER_WORDS), this.words.length);
    return OrderSlab.ofImage(words, this.ties.subarray(0, used * TIE_WORDS));
  }

  /** The memory of all orders below `used`, without copying. */
  image(used: number): Uint8Array[] {
    return [toBytes(this.words, used * ORDER_WORDS), toBytes(this.ties, used * TIE_WORDS)];
  }

  /** Restores the slab from an image. */
  static ofImage(words: Int32Array<ArrayBuffer>, ties: Int32Array): OrderSlab {
    const slab = new OrderSlab();
    slab.#use(words.length < slab.words.length ? grownInt32(words, slab.words.length) : words);
    slab.ties = grownInt32(ties, slab.capacity * TIE_WORDS);
    return slab;
  }

  #use(words: Int32Array<ArrayBuffer>): void {
    this.words = words;
    this.numbers = new Float64Array(words.buffer);
  }
}

export function toStatus(status: number): OrderStatus {
  return ORDER_STATUSES[status]!;
}
