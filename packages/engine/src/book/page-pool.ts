// Pages of 32 entries with a bitmap of those in use: the storage of price ladders, shared by all books of an engine.
import { grownInt32 } from '../slabs/grown.ts';

const FIRST_CAPACITY = 64;
const FANOUT = 32;

/**
 * Pages of 32 entries: inner pages point to pages, leaf pages to levels. Four layers of 5 bits reach 2^20 prices, just
 * past 999,999. One flat array of a million prices would be faster by a few loads and cost megabytes for an idle
 * market; quotes in whole cents are 10,000 apart, so that large pages would be nearly empty too.
 */
export class PagePool {
  bits = new Int32Array(FIRST_CAPACITY);
  entries = new Int32Array(FIRST_CAPACITY * FANOUT);
  #used = 0;
  #free: number[] = [];

  allocate(): number {
    const page = this.#free.pop() ?? this.#used++;
    if (page >= this.bits.length) {
      this.bits = grownInt32(this.bits, page * 2);
      this.entries = grownInt32(this.entries, page * 2 * FANOUT);
    }
    this.bits[page] = 0;
    return page;
  }

  release(page: number): void {
    this.#free.push(page);
  }

  /** Number of pages in use: idle markets must not need any. */
  get inUse(): number {
    return this.#used - this.#free.length;
  }

  copy(): PagePool {
    const copy = new PagePool();
    copy.bits = this.bits.slice();
    copy.entries = this.entries.slice();
    copy.#used = this.#used;
    copy.#free = this.#free.slice();
    return copy;
  }

  has(page: number, index: number): boolean {
    return ((this.bits[page]! >>> index) & 1) === 1;
  }

  entry(page: number, index: number): number {
    return this.entries[page * FANOUT + index]!;
  }

  put(page: number, index: number, entry: number): void {
    this.bits[page]! |= 1 << index;
    this.entries[page * FANOUT + index] = entry;
  }

  /** Returns whether the page is empty now. */
  clear(page: number, index: number): boolean {
    this.bits[page]! &= ~(1 << index);
    return this.bits[page] === 0;
  }
}
