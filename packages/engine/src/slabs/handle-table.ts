// A hash table of handles by the tag of their key: callers compare the keys of all entries that share a tag.
import { NONE } from '../book/book.ts';

const FIRST_CAPACITY = 64;
/**
 * Entries collected after the table's places before they are inserted together. In a large table each insertion waits
 * for memory; done in a row, the waits overlap.
 */
const GATHERED = 32;

/** Linear probing, at most half full. A tag is any 32-bit number but 0, which marks an empty place. */
export class HandleTable {
  /** Tag and handle of each place, followed by those of the collected entries. */
  #entries = new Int32Array(2 * (FIRST_CAPACITY + GATHERED));
  #mask = FIRST_CAPACITY - 1;
  #size = 0;
  #gathered = 0;

  get size(): number {
    return this.#size;
  }

  /** First place with this tag; NONE if there is none. */
  first(tag: number): number {
    return this.#seek(tag & this.#mask, tag);
  }

  /** Next place with the same tag; NONE if there is none. */
  next(place: number, tag: number): number {
    return place > this.#mask ? this.#seekGathered(place + 1, tag) : this.#seek((place + 1) & this.#mask, tag);
  }

  handle(place: number): number {
    return this.#entries[2 * place + 1]!;
  }

  replace(place: number, handle: number): void {
    this.#entries[2 * place + 1] = handle;
  }

  add(tag: number, handle: number): void {
    if (this.#gathered === GATHERED) this.#putGathered();
    const at = 2 * (this.#mask + 1 + this.#gathered++);
    this.#entries[at] = tag;
    this.#entries[at + 1] = handle;
    this.#size++;
  }

  /** No effect if the handle is not under the tag. */
  delete(tag: number, handle: number): void {
    for (let place = this.first(tag); place !== NONE; place = this.next(place, tag)) {
      if (this.handle(place) !== handle) continue;
      this.#size--;
      if (place > this.#mask) this.#leaveGathered(place);
      else this.#closeGap(place);
      return;
    }
  }

  /** Makes room for this many handles. */
  reserve(handles: number): void {
    let capacity = this.#mask + 1;
    while (handles * 2 >= capacity) capacity *= 2;
    if (capacity > this.#mask + 1) this.#grow(capacity);
  }

  copy(): HandleTable {
    const copy = new HandleTable();
    copy.#entries = this.#entries.slice();
    copy.#mask = this.#mask;
    copy.#size = this.#size;
    copy.#gathered = this.#gathered;
    return copy;
  }

  #seek(from: number, tag: number): number {
    const entries = this.#entries;
    const mask = this.#mask;
    for (let place = from; ; place = (place + 1) & mask) {
      const found = entries[2 * place]!;
      if (found === tag) return place;
      if (found === 0) return this.#seekGathered(mask + 1, tag);
    }
  }

  #seekGathered(from: number, tag: number): number {
    const entries = this.#entries;
    const end = this.#mask + 1 + this.#gathered;
    for (let place = from; place < end; place++) if (entries[2 * place] === tag) return place;
    return NONE;
  }

  #putGathered(): void {
    if (this.#size * 2 > this.#mask) this.#grow((this.#mask + 1) * 2);
    const entries = this.#entries;
    const first = 2 * (this.#mask + 1);
    const end = first + 2 * this.#gathered;
    for (let at = first; at < end; at += 2) this.#put(entries[at]!, entries[at + 1]!);
    this.#gathered = 0;
  }

  #put(tag: number, handle: number): void {
    const entries = this.#entries;
    const mask = this.#mask;
    let place = tag & mask;
    while (entries[2 * place] !== 0) place = (place + 1) & mask;
    entries[2 * place] = tag;
    entries[2 * place + 1] = handle;
  }

  /** Moves the last collected entry into the freed place. */
  #leaveGathered(place: number): void {
    const entries = this.#entries;
    const last = 2 * (this.#mask + this.#gathered--);
    entries[2 * place] = entries[last]!;
    entries[2 * place + 1] = entries[last + 1]!;
  }

  /** Moves the following entries up, except those that would end up before the place that their tag selects. */
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

  #grow(capacity: number): void {
    const before = this.#entries;
    const places = 2 * (this.#mask + 1);
    this.#entries = new Int32Array(2 * (capacity + GATHERED));
    this.#entries.set(before.subarray(places), 2 * capacity);
    this.#mask = capacity - 1;
    for (let at = 0; at < places; at += 2) {
      if (before[at] !== 0) this.#put(before[at]!, before[at + 1]!);
    }
  }
}
