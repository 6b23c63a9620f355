// Items by their end time, soonest first: a binary heap that can also be read without changing it.

export class LapseHeap<T> {
  readonly #times: number[] = [];
  readonly #items: T[] = [];

  get size(): number {
    return this.#items.length;
  }

  /** End time of the soonest entry; Infinity if there is none. */
  get soonestMs(): number {
    return this.#times[0] ?? Number.POSITIVE_INFINITY;
  }

  get soonest(): T | undefined {
    return this.#items[0];
  }

  push(timeMs: number, item: T): void {
    let at = this.#items.length;
    this.#times.push(timeMs);
    this.#items.push(item);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (this.#times[parent]! <= timeMs) break;
      this.#move(parent, at);
      at = parent;
    }
    this.#times[at] = timeMs;
    this.#items[at] = item;
  }

  pop(): T | undefined {
    const top = this.#items[0];
    const timeMs = this.#times.pop();
    const item = this.#items.pop();
    if (timeMs === undefined || item === undefined || this.#items.length === 0) return top;
    this.#sink(timeMs, item);
    return top;
  }

  /** Visits every due entry in no particular order: for decisions, which must not change the heap. */
  visitDue(timeMs: number, visit: (item: T) => void, at = 0): void {
    if (at >= this.#items.length || this.#times[at]! > timeMs) return;
    visit(this.#items[at]!);
    this.visitDue(timeMs, visit, 2 * at + 1);
    this.visitDue(timeMs, visit, 2 * at + 2);
  }

  #sink(timeMs: number, item: T): void {
    const size = this.#items.length;
    let at = 0;
    for (let child = 1; child < size; child = 2 * at + 1) {
      if (child + 1 < size && this.#times[child + 1]! < this.#times[child]!) child++;
      if (this.#times[child]! >= timeMs) break;
      this.#move(child, at);
      at = child;
    }
    this.#times[at] = timeMs;
    this.#items[at] = item;
  }

  #move(from: number, to: number): void {
    this.#times[to] = this.#times[from]!;
    this.#items[to] = this.#items[from]!;
  }
}
