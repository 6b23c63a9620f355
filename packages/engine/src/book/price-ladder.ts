// The price ladder: which prices of one side have a level, as a hierarchy of 32-bit bitmaps with pages only where used.
import { NONE } from './book.ts';
import type { PagePool } from './page-pool.ts';

export class PriceLadder {
  readonly #pages: PagePool;
  #root = NONE;

  constructor(pages: PagePool) {
    this.#pages = pages;
  }

  /** The same prices over a copy of the pages. */
  copy(pages: PagePool): PriceLadder {
    const copy = new PriceLadder(pages);
    copy.#root = this.#root;
    return copy;
  }

  /** The level at a price; NONE if there is none. */
  get(price: number): number {
    let page = this.#root;
    for (let shift = 15; page !== NONE; shift -= 5) {
      const index = (price >>> shift) & 31;
      if (!this.#pages.has(page, index)) return NONE;
      page = this.#pages.entry(page, index);
      if (shift === 0) return page;
    }
    return NONE;
  }

  set(price: number, level: number): void {
    const pages = this.#pages;
    if (this.#root === NONE) this.#root = pages.allocate();
    let page = this.#root;
    for (let shift = 15; shift > 0; shift -= 5) {
      const index = (price >>> shift) & 31;
      if (!pages.has(page, index)) pages.put(page, index, pages.allocate());
      page = pages.entry(page, index);
    }
    pages.put(page, price & 31, level);
  }

  /** Empty pages return to the pool, so a side without orders holds none. */
  delete(price: number): void {
    if (this.#clear(this.#root, 15, price)) {
      this.#pages.release(this.#root);
      this.#root = NONE;
    }
  }

  #clear(page: number, shift: number, price: number): boolean {
    const pages = this.#pages;
    const index = (price >>> shift) & 31;
    if (shift > 0) {
      const below = pages.entry(page, index);
      if (!this.#clear(below, shift - 5, price)) return false;
      pages.release(below);
    }
    return pages.clear(page, index);
  }

  lowest(): number {
    return this.#root === NONE ? NONE : this.#descendLow(this.#root, 15);
  }

  highest(): number {
    return this.#root === NONE ? NONE : this.#descendHigh(this.#root, 15);
  }

  /** The nearest level above a price. */
  above(price: number): number {
    return this.#root === NONE ? NONE : this.#searchUp(this.#root, 15, price);
  }

  below(price: number): number {
    return this.#root === NONE ? NONE : this.#searchDown(this.#root, 15, price);
  }

  #searchUp(page: number, shift: number, price: number): number {
    const pages = this.#pages;
    const index = (price >>> shift) & 31;
    if (shift > 0 && pages.has(page, index)) {
      const found = this.#searchUp(pages.entry(page, index), shift - 5, price);
      if (found !== NONE) return found;
    }
    const bits = pages.bits[page]! & (-2 << index);
    if (bits === 0) return NONE;
    const entry = pages.entry(page, lowestBit(bits));
    return shift === 0 ? entry : this.#descendLow(entry, shift - 5);
  }

  #searchDown(page: number, shift: number, price: number): number {
    const pages = this.#pages;
    const index = (price >>> shift) & 31;
    if (shift > 0 && pages.has(page, index)) {
      const found = this.#searchDown(pages.entry(page, index), shift - 5, price);
      if (found !== NONE) return found;
    }
    const bits = pages.bits[page]! & ((1 << index) - 1);
    if (bits === 0) return NONE;
    const entry = pages.entry(page, highestBit(bits));
    return shift === 0 ? entry : this.#descendHigh(entry, shift - 5);
  }

  #descendLow(page: number, shift: number): number {
    const pages = this.#pages;
    let entry = pages.entry(page, lowestBit(pages.bits[page]!));
    for (let left = shift; left > 0; left -= 5) entry = pages.entry(entry, lowestBit(pages.bits[entry]!));
    return entry;
  }

  #descendHigh(page: number, shift: number): number {
    const pages = this.#pages;
    let entry = pages.entry(page, highestBit(pages.bits[page]!));
    for (let left = shift; left > 0; left -= 5) entry = pages.entry(entry, highestBit(pages.bits[entry]!));
    return entry;
  }
}

function lowestBit(bits: number): number {
  return 31 - Math.clz32(bits & -bits);
}

function highestBit(bits: number): number {
  return 31 - Math.clz32(bits);
}
