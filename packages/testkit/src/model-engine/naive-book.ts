// The book written for clarity: two sorted arrays.
import { type Book, type Level, NONE } from '@presage/engine';
import { BUY, hashLevels, type Outcome, SELL, type Side } from '@presage/protocol/engine-types';

interface Resting {
  readonly slot: number;
  readonly side: Side;
  readonly price: number;
  readonly sequence: number;
  remaining: number;
}

export class NaiveBook implements Book {
  readonly #outcome: Outcome;
  readonly #sides: readonly [Resting[], Resting[]] = [[], []];

  constructor(outcome: Outcome) {
    this.#outcome = outcome;
  }

  insert(slot: number, side: Side, price: number, sequence: number, size: number): void {
    const resting = { slot, side, price, sequence, remaining: size };
    const behind = this.#sides[side].findIndex((other) => tradesBefore(resting, other));
    this.#sides[side].splice(behind === -1 ? this.#sides[side].length : behind, 0, resting);
  }

  take(slot: number, size: number): number {
    const order = this.#find(slot);
    if (size > order.remaining) throw new RangeError(`cannot take ${size} from ${order.remaining}`);
    order.remaining -= size;
    if (order.remaining === 0) this.#drop(order);
    return order.remaining;
  }

  give(slot: number, size: number): void {
    this.#find(slot).remaining += size;
  }

  remove(slot: number): number {
    const order = this.#find(slot);
    this.#drop(order);
    return order.remaining;
  }

  remaining(slot: number): number {
    return this.#find(slot).remaining;
  }

  best(side: Side): number {
    return this.#sides[side][0]?.price ?? NONE;
  }

  first(side: Side): number {
    return this.#sides[side][0]?.slot ?? NONE;
  }

  next(slot: number): number {
    const order = this.#find(slot);
    const queue = this.#sides[order.side];
    return queue[queue.indexOf(order) + 1]?.slot ?? NONE;
  }

  levelSize(side: Side, price: number): number | bigint {
    return this.levels(side).find((level) => level.price === price)?.size ?? 0;
  }

  levels(side: Side, limit = Number.POSITIVE_INFINITY): Level[] {
    const totals = new Map<number, bigint>();
    for (const order of this.#sides[side]) {
      totals.set(order.price, (totals.get(order.price) ?? 0n) + BigInt(order.remaining));
    }
    const levels = [...totals].map(([price, total]) => ({ price, size: toExactSize(total) }));
    return levels.slice(0, limit);
  }

  hash(): bigint {
    return hashLevels(this.#outcome, this.levels(BUY), this.levels(SELL));
  }

  #find(slot: number): Resting {
    const order = [...this.#sides[BUY], ...this.#sides[SELL]].find((resting) => resting.slot === slot);
    if (order === undefined) throw new RangeError(`no order rests in slot ${slot}`);
    return order;
  }

  #drop(order: Resting): void {
    const queue = this.#sides[order.side];
    queue.splice(queue.indexOf(order), 1);
  }
}

function tradesBefore(one: Resting, other: Resting): boolean {
  if (one.price !== other.price) return one.side === BUY ? one.price > other.price : one.price < other.price;
  return one.sequence < other.sequence;
}

function toExactSize(total: bigint): number | bigint {
  return total <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(total) : total;
}
