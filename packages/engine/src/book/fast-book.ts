// The book written for speed: constant time to add, cancel and find the best price at any depth, without allocations.
import { BUY, type Outcome, SELL, type Side } from '@presage/protocol/engine-types';
import {
  LEVEL,
  NEXT,
  ORDER_NUMBERS,
  ORDER_WORDS,
  OrderSlab,
  PREVIOUS,
  REMAINING,
  SEQUENCE,
} from '../slabs/order-slab.ts';
import { type Book, type CreateBook, type Level, NONE } from './book.ts';
import { LevelPool } from './level-pool.ts';
import { PagePool } from './page-pool.ts';
import { PriceLadder } from './price-ladder.ts';
import { TrackedHash } from './tracked-hash.ts';

/** Pools shared by all books of an engine, so that an idle market owns no array of its own. */
export interface BookPools {
  readonly orders: OrderSlab;
  readonly levels: LevelPool;
  readonly pages: PagePool;
}

export function createBookPools(orders = new OrderSlab()): BookPools {
  return { orders, levels: new LevelPool(), pages: new PagePool() };
}

/** Copies the pools, for books that are copied unchanged over them. */
export function copyBookPools({ levels, pages }: BookPools, orders: OrderSlab): BookPools {
  return { orders, levels: levels.copy(), pages: pages.copy() };
}

export function fastBooks(pools: BookPools = createBookPools()): CreateBook {
  return (outcome) => new FastBook(outcome, pools);
}

export class FastBook implements Book {
  readonly #orders: OrderSlab;
  readonly #levels: LevelPool;
  #bids: PriceLadder;
  #asks: PriceLadder;
  readonly #hash: TrackedHash;

  constructor(outcome: Outcome, pools: BookPools) {
    this.#orders = pools.orders;
    this.#levels = pools.levels;
    this.#bids = new PriceLadder(pools.pages);
    this.#asks = new PriceLadder(pools.pages);
    this.#hash = new TrackedHash(outcome);
  }

  /** The same book over copies of its pools. Its hash is recomputed. */
  copy(outcome: Outcome, pools: BookPools): FastBook {
    const copy = new FastBook(outcome, pools);
    copy.#bids = this.#bids.copy(pools.pages);
    copy.#asks = this.#asks.copy(pools.pages);
    return copy;
  }

  /** Adopts a level whose orders are already linked, from the first on. The book must not have the level. */
  adopt(first: number, side: Side, price: number): void {
    const { words, numbers } = this.#orders;
    const level = this.#levelFor(side, price);
    let last = first;
    for (let slot = first; slot !== NONE; slot = words[slot * ORDER_WORDS + NEXT]!) {
      words[slot * ORDER_WORDS + LEVEL] = level;
      this.#levels.add(level, numbers[slot * ORDER_NUMBERS + REMAINING]!);
      last = slot;
    }
    this.#levels.head[level] = first;
    this.#levels.tail[level] = last;
    this.#hash.touch(side, price);
  }

  insert(slot: number, side: Side, price: number, sequence: number, size: number): void {
    this.#orders.reserve(slot);
    const { words, numbers } = this.#orders;
    numbers[slot * ORDER_NUMBERS + REMAINING] = size;
    numbers[slot * ORDER_NUMBERS + SEQUENCE] = sequence;
    const level = this.#levelFor(side, price);
    words[slot * ORDER_WORDS + LEVEL] = level;
    this.#link(slot, level, this.#placeBefore(level, sequence));
    this.#levels.add(level, size);
    this.#hash.touch(side, price);
  }

  take(slot: number, size: number): number {
    const left = this.remaining(slot) - size;
    if (left < 0) throw new RangeError(`cannot take ${size} from ${this.remaining(slot)}`);
    this.#orders.numbers[slot * ORDER_NUMBERS + REMAINING] = left;
    this.#shrink(slot, size);
    if (left === 0) this.#leave(slot);
    return left;
  }

  #sideOf(level: number): Side {
    // Every level was opened with a side.
    return this.#levels.side[level] as Side;
  }

  give(slot: number, size: number): void {
    const level = this.#orders.words[slot * ORDER_WORDS + LEVEL]!;
    this.#orders.numbers[slot * ORDER_NUMBERS + REMAINING] = this.remaining(slot) + size;
    this.#levels.add(level, size);
    this.#hash.touch(this.#sideOf(level), this.#levels.price[level]!);
  }

  remove(slot: number): number {
    const left = this.remaining(slot);
    this.#orders.numbers[slot * ORDER_NUMBERS + REMAINING] = 0;
    this.#shrink(slot, left);
    this.#leave(slot);
    return left;
  }

  remaining(slot: number): number {
    const left = this.#orders.numbers[slot * ORDER_NUMBERS + REMAINING];
    if (left === undefined || left === 0) throw new RangeError(`no order rests in slot ${slot}`);
    return left;
  }

  best(side: Side): number {
    const level = this.#bestLevel(side);
    return level === NONE ? NONE : this.#levels.price[level]!;
  }

  first(side: Side): number {
    const level = this.#bestLevel(side);
    return level === NONE ? NONE : this.#levels.head[level]!;
  }

  next(slot: number): number {
    const behind = this.#orders.words[slot * ORDER_WORDS + NEXT]!;
    if (behind !== NONE) return behind;
    const level = this.#nextLevel(this.#orders.words[slot * ORDER_WORDS + LEVEL]!);
    return level === NONE ? NONE : this.#levels.head[level]!;
  }

  levelSize(side: Side, price: number): number | bigint {
    const level = this.#ladder(side).get(price);
    return level === NONE ? 0 : this.#levels.size(level);
  }

  levels(side: Side, limit = Number.POSITIVE_INFINITY): Level[] {
    const levels: Level[] = [];
    for (let level = this.#bestLevel(side); level !== NONE; level = this.#nextLevel(level)) {
      if (levels.length >= limit) break;
      levels.push({ price: this.#levels.price[level]!, size: this.#levels.size(level) });
    }
    return levels;
  }

  hash(): bigint {
    return this.#hash.read(this);
  }

  #ladder(side: Side): PriceLadder {
    return side === BUY ? this.#bids : this.#asks;
  }

  #bestLevel(side: Side): number {
    return side === BUY ? this.#bids.highest() : this.#asks.lowest();
  }

  #nextLevel(level: number): number {
    const price = this.#levels.price[level]!;
    return this.#levels.side[level] === SELL ? this.#asks.above(price) : this.#bids.below(price);
  }

  #levelFor(side: Side, price: number): number {
    const ladder = this.#ladder(side);
    const known = ladder.get(price);
    if (known !== NONE) return known;
    const level = this.#levels.allocate(side, price);
    ladder.set(price, level);
    return level;
  }

  /**
   * The queued order before which an order of this sequence belongs; NONE at the end. New orders are the youngest and
   * are found immediately; the place of a returning order is searched from both ends.
   */
  #placeBefore(level: number, sequence: number): number {
    const { words, numbers } = this.#orders;
    let young = this.#levels.tail[level]!;
    if (young === NONE || numbers[young * ORDER_NUMBERS + SEQUENCE]! < sequence) return NONE;
    let old = this.#levels.head[level]!;
    while (numbers[old * ORDER_NUMBERS + SEQUENCE]! < sequence) {
      const older = words[young * ORDER_WORDS + PREVIOUS]!;
      if (numbers[older * ORDER_NUMBERS + SEQUENCE]! < sequence) return young;
      young = older;
      old = words[old * ORDER_WORDS + NEXT]!;
    }
    return old;
  }

  #link(slot: number, level: number, before: number): void {
    const { words } = this.#orders;
    const after = before === NONE ? this.#levels.tail[level]! : words[before * ORDER_WORDS + PREVIOUS]!;
    words[slot * ORDER_WORDS + NEXT] = before;
    words[slot * ORDER_WORDS + PREVIOUS] = after;
    if (after === NONE) this.#levels.head[level] = slot;
    else words[after * ORDER_WORDS + NEXT] = slot;
    if (before === NONE) this.#levels.tail[level] = slot;
    else words[before * ORDER_WORDS + PREVIOUS] = slot;
  }

  #shrink(slot: number, size: number): void {
    const level = this.#orders.words[slot * ORDER_WORDS + LEVEL]!;
    this.#levels.subtract(level, size);
    this.#hash.touch(this.#sideOf(level), this.#levels.price[level]!);
  }

  #leave(slot: number): void {
    const { words } = this.#orders;
    const at = slot * ORDER_WORDS;
    const level = words[at + LEVEL]!;
    const before = words[at + NEXT]!;
    const after = words[at + PREVIOUS]!;
    if (after === NONE) this.#levels.head[level] = before;
    else words[after * ORDER_WORDS + NEXT] = before;
    if (before === NONE) this.#levels.tail[level] = after;
    else words[before * ORDER_WORDS + PREVIOUS] = after;
    words[at + LEVEL] = NONE;
    if (this.#levels.head[level] === NONE) this.#dropLevel(level);
  }

  #dropLevel(level: number): void {
    this.#ladder(this.#sideOf(level)).delete(this.#levels.price[level]!);
    this.#levels.release(level);
  }
}
