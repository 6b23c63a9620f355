// The book written for speed: constant time to add, cancel and find the best price at any depth, without allocations.
import { BUY, type Outcome, SELL, type Side } from '@presage/protocol/engine-types';
import { type Book, type BookOrder, type CreateBook, type Level, NONE } from './book.ts';
import { LevelPool } from './level-pool.ts';
import { OrderPool } from './order-pool.ts';
import { PagePool } from './page-pool.ts';
import { PriceLadder } from './price-ladder.ts';
import { TrackedHash } from './tracked-hash.ts';

/** What all books of an engine share, so that an idle market owns no array of its own. */
export interface BookPools {
  readonly orders: OrderPool;
  readonly levels: LevelPool;
  readonly pages: PagePool;
}

export function createBookPools(): BookPools {
  return { orders: new OrderPool(), levels: new LevelPool(), pages: new PagePool() };
}

export function fastBooks(pools: BookPools = createBookPools()): CreateBook {
  return (outcome) => new FastBook(outcome, pools);
}

export class FastBook implements Book {
  readonly #orders: OrderPool;
  readonly #levels: LevelPool;
  readonly #bids: PriceLadder;
  readonly #asks: PriceLadder;
  readonly #hash: TrackedHash;

  constructor(outcome: Outcome, pools: BookPools) {
    this.#orders = pools.orders;
    this.#levels = pools.levels;
    this.#bids = new PriceLadder(pools.pages);
    this.#asks = new PriceLadder(pools.pages);
    this.#hash = new TrackedHash(outcome);
  }

  insert(order: BookOrder, size: number): void {
    const { slot, side, price, sequence } = order;
    this.#orders.reserve(slot);
    this.#orders.remaining[slot] = size;
    this.#orders.sequence[slot] = sequence;
    const level = this.#levelFor(side, price);
    this.#orders.level[slot] = level;
    this.#link(slot, level, this.#placeBefore(level, sequence));
    this.#levels.add(level, size);
    this.#hash.touch(side, price);
  }

  take(slot: number, size: number): number {
    const left = this.remaining(slot) - size;
    if (left < 0) throw new RangeError(`cannot take ${size} from ${this.remaining(slot)}`);
    this.#orders.remaining[slot] = left;
    this.#shrink(slot, size);
    if (left === 0) this.#leave(slot);
    return left;
  }

  #sideOf(level: number): Side {
    // A level is opened with a side.
    return this.#levels.side[level] as Side;
  }

  give(slot: number, size: number): void {
    const level = this.#orders.level[slot]!;
    this.#orders.remaining[slot] = this.remaining(slot) + size;
    this.#levels.add(level, size);
    this.#hash.touch(this.#sideOf(level), this.#levels.price[level]!);
  }

  remove(slot: number): number {
    const left = this.remaining(slot);
    this.#orders.remaining[slot] = 0;
    this.#shrink(slot, left);
    this.#leave(slot);
    return left;
  }

  remaining(slot: number): number {
    const left = this.#orders.remaining[slot];
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
    const behind = this.#orders.next[slot]!;
    if (behind !== NONE) return behind;
    const level = this.#nextLevel(this.#orders.level[slot]!);
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
   * The queued order that an order of this sequence precedes; NONE at the end. New orders are the youngest
   * and are found immediately; the place of a returning order is searched from both ends.
   */
  #placeBefore(level: number, sequence: number): number {
    const sequences = this.#orders.sequence;
    let young = this.#levels.tail[level]!;
    if (young === NONE || sequences[young]! < sequence) return NONE;
    let old = this.#levels.head[level]!;
    while (sequences[old]! < sequence) {
      const older = this.#orders.previous[young]!;
      if (sequences[older]! < sequence) return young;
      young = older;
      old = this.#orders.next[old]!;
    }
    return old;
  }

  #link(slot: number, level: number, before: number): void {
    const { next, previous } = this.#orders;
    const after = before === NONE ? this.#levels.tail[level]! : previous[before]!;
    next[slot] = before;
    previous[slot] = after;
    if (after === NONE) this.#levels.head[level] = slot;
    else next[after] = slot;
    if (before === NONE) this.#levels.tail[level] = slot;
    else previous[before] = slot;
  }

  #shrink(slot: number, size: number): void {
    const level = this.#orders.level[slot]!;
    this.#levels.subtract(level, size);
    this.#hash.touch(this.#sideOf(level), this.#levels.price[level]!);
  }

  #leave(slot: number): void {
    const { next, previous } = this.#orders;
    const level = this.#orders.level[slot]!;
    const before = next[slot]!;
    const after = previous[slot]!;
    if (after === NONE) this.#levels.head[level] = before;
    else next[after] = before;
    if (before === NONE) this.#levels.tail[level] = after;
    else previous[before] = after;
    if (this.#levels.head[level] === NONE) this.#dropLevel(level);
  }

  #dropLevel(level: number): void {
    this.#ladder(this.#sideOf(level)).delete(this.#levels.price[level]!);
    this.#levels.release(level);
  }
}
