// Handles by the tag of their key, in one open table: whoever looks compares the keys of those that share the tag.
import { NONE } from '../book/book.ts';

const FIRST_CAPACITY = 64;

/** Linear probing, at most half full. A tag is any number of 32 bits but 0, which marks an empty place. */
export class HandleTable {
  /** Tag and handle of each place, side by side. */
  #entries = new Int32Array(2 * FIRST_CAPACITY);
  #mask = FIRST_CAPACITY - 1;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** The first place with this tag; NONE if there is none. */
  first(tag: number): number {
    return this.#seek(tag & this.#mask, tag);
  }

  /** The next place with the tag behind one that has it. */
  next(place: number, tag: number): number {
    return this.#seek((place + 1) & this.#mask, tag);
  }

  handle(place: number): number {
    return this.#entries[2 * place + 1]!;
  }

  replace(place: number, handle: number): void {
    this.#entries[2 * place + 1] = handle;
  }

  add(tag: number, handle: number): void {
    if (this.#size * 2 > this.#mask) this.#grow(this.#entries.length * 2);
    this.#put(tag, handle);
    this.#size++;
  }

  /** Nothing happens where the handle is not under the tag. */
  delete(tag: number, handle: number): void {
    for (let place = this.first(tag); place !== NONE; place = this.next(place, tag)) {
      if (this.handle(place) !== handle) continue;
      this.#size--;
      this.#closeGap(place);
      return;
    }
  }

  /** So many handles fit without growing. */
  reserve(handles: number): void {
    let { length } = this.#entries;
    while (handles * 4 >= length) length *= 2;
    if (length > this.#entries.length) this.#grow(length);
  }

  copy(): HandleTable {
    const copy = new HandleTable();
    copy.#entries = this.#entries.slice();
    copy.#mask = this.#mask;
    copy.#size = this.#size;
    return copy;
  }

  #seek(from: number, tag: number): number {
    const entries = this.#entries;
    const mask = this.#mask;
    for (let place = from; ; place = (place + 1) & mask) {
      const found = entries[2 * place]!;
      if (found === tag) return place;
      if (found === 0) return NONE;
    }
  }

  #put(tag: number, handle: number): void {
    const entries = this.#entries;
    const mask = this.#mask;
    let place = tag & mask;
    while (entries[2 * place] !== 0) place = (place + 1) & mask;
    entries[2 * place] = tag;
    entries[2 * place + 1] = handle;
  }

  /** Moves the following entries up unless they would come before the place that their tag names. */
  #closeGap(freed: number): void {
    const entries = this.#entries;
    const mask = this.#mask;
    let gap = freed;
    for (let at = (gap + 1) & mask; entries[2 * at] !== 0; at = (at + 1) & mask) {
      const isNamedBehindGap = ((at - entries[2 * at]!) & mask) < ((at - gap) & mask);
      if (isNamedBehindGap) continue;
      entries[2 * gap] = entries[2 * at]!;
      entries[2 * gap + 1] = entries[2 * at + 1]!;
      gap = at;
    }
    entries[2 * gap] = 0;
  }

  #grow(length: number): void {
    const before = this.#entries;
    this.#entries = new Int32Array(length);
    this.#mask = length / 2 - 1;
    for (let at = 0; at < before.length; at += 2) {
      if (before[at] !== 0) this.#put(before[at]!, before[at + 1]!);
    }
  }
}
