// Price levels in compact form: queue ends and an exact total, parallel arrays shared by all fast books of an engine.
import type { Side } from '@presage/protocol/engine-types';
import { grownFloat64, grownInt32 } from '../slabs/grown.ts';
import { NONE } from './book.ts';

const FIRST_CAPACITY = 256;
/** A total is carries x 2^53 + units: both halves stay exact doubles, whatever is added. */
const CARRY = 2 ** 53;
const CARRY_BIG = 2n ** 53n;

export class LevelPool {
  price = new Int32Array(FIRST_CAPACITY);
  side = new Int32Array(FIRST_CAPACITY);
  head = new Int32Array(FIRST_CAPACITY);
  tail = new Int32Array(FIRST_CAPACITY);
  #units = new Float64Array(FIRST_CAPACITY);
  #carries = new Float64Array(FIRST_CAPACITY);
  #used = 0;
  #free: number[] = [];

  allocate(side: Side, price: number): number {
    const level = this.#free.pop() ?? this.#used++;
    if (level >= this.price.length) this.#grow();
    this.price[level] = price;
    this.side[level] = side;
    this.head[level] = NONE;
    this.tail[level] = NONE;
    this.#units[level] = 0;
    this.#carries[level] = 0;
    return level;
  }

  release(level: number): void {
    this.#free.push(level);
  }

  /** `units + size` may pass 2^53 and round; comparing with the room first keeps every step exact. */
  add(level: number, size: number): void {
    const units = this.#units[level]!;
    const room = CARRY - size;
    if (units < room) {
      this.#units[level] = units + size;
    } else {
      this.#units[level] = units - room;
      this.#carries[level]!++;
    }
  }

  subtract(level: number, size: number): void {
    const units = this.#units[level]!;
    if (units >= size) {
      this.#units[level] = units - size;
    } else {
      this.#units[level] = units + (CARRY - size);
      this.#carries[level]!--;
    }
  }

  size(level: number): number | bigint {
    const carries = this.#carries[level]!;
    const units = this.#units[level]!;
    return carries === 0 ? units : BigInt(carries) * CARRY_BIG + BigInt(units);
  }

  copy(): LevelPool {
    const copy = new LevelPool();
    copy.price = this.price.slice();
    copy.side = this.side.slice();
    copy.head = this.head.slice();
    copy.tail = this.tail.slice();
    copy.#units = this.#units.slice();
    copy.#carries = this.#carries.slice();
    copy.#used = this.#used;
    copy.#free = this.#free.slice();
    return copy;
  }

  #grow(): void {
    const capacity = this.price.length * 2;
    this.price = grownInt32(this.price, capacity);
    this.side = grownInt32(this.side, capacity);
    this.head = grownInt32(this.head, capacity);
    this.tail = grownInt32(this.tail, capacity);
    this.#units = grownFloat64(this.#units, capacity);
    this.#carries = grownFloat64(this.#carries, capacity);
  }
}
