// Handles by their end time, soonest first: a binary heap that can also be read without changing it.
import { grownFloat64, grownInt32 } from './grown.ts';

const FIRST_CAPACITY = 64;

/** A handle may be reused before its entry is due: the stamp tells whether it still means the same. */
export class LapseHeap {
  #times = new Float64Array(FIRST_CAPACITY);
  /** Handle and stamp of each entry, side by side. */
  #items = new Int32Array(2 * FIRST_CAPACITY);
  #size = 0;

  /** Time of the soonest entry; Infinity if there is none. */
  get soonestMs(): number {
    return this.#size === 0 ? Number.POSITIVE_INFINITY : this.#times[0]!;
  }

  /** Handle of the soonest entry; undefined if there is none. */
  get soonest(): number | undefined {
    return this.#size === 0 ? undefined : this.#items[0];
  }

  /** Stamp of the soonest entry. */
  get stamp(): number {
    return this.#items[1]!;
  }

  push(timeMs: number, handle: number, stamp: number): void {
    if (this.#size === this.#times.length) this.#grow();
    const times = this.#times;
    let at = this.#size++;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (times[parent]! <= timeMs) break;
      this.#move(parent, at);
      at = parent;
    }
    this.#put(at, timeMs, handle, stamp);
  }

  pop(): void {
    if (this.#size === 0) return;
    const size = --this.#size;
    const times = this.#times;
    const timeMs = times[size]!;
    let at = 0;
    for (let child = 1; child < size; child = 2 * at + 1) {
      if (child + 1 < size && times[child + 1]! < times[child]!) child++;
      if (times[child]! >= timeMs) break;
      this.#move(child, at);
      at = child;
    }
    this.#put(at, timeMs, this.#items[2 * size]!, this.#items[2 * size + 1]!);
  }

  /** Visits every due entry in no particular order: for decisions, which must not change the heap. */
  visitDue(timeMs: number, visit: (handle: number, stamp: number) => void, at = 0): void {
    if (at >= this.#size || this.#times[at]! > timeMs) return;
    visit(this.#items[2 * at]!, this.#items[2 * at + 1]!);
    this.visitDue(timeMs, visit, 2 * at + 1);
    this.visitDue(timeMs, visit, 2 * at + 2);
  }

  copy(): LapseHeap {
    const copy = new LapseHeap();
    copy.#times = this.#times.slice();
    copy.#items = this.#items.slice();
    copy.#size = this.#size;
    return copy;
  }

  #move(from: number, to: number): void {
    this.#put(to, this.#times[from]!, this.#items[2 * from]!, this.#items[2 * from + 1]!);
  }

  #put(at: number, timeMs: number, handle: number, stamp: number): void {
    this.#times[at] = timeMs;
    this.#items[2 * at] = handle;
    this.#items[2 * at + 1] = stamp;
  }

  #grow(): void {
    this.#times = grownFloat64(this.#times, this.#times.length * 2);
    this.#items = grownInt32(this.#items, this.#items.length * 2);
  }
}
