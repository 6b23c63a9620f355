// A bounded map that evicts its oldest entries.

/**
 * Two maps in turns: the older one is dropped as a whole. Deleting the first key of a single map looks equivalent but
 * is slow: the map keeps the slots of deleted entries until it is full, and every search for the first key passes over
 * all of them.
 */
export class NewestMap<Key, Value extends NonNullable<unknown>> {
  readonly #share: number;
  #newer = new Map<Key, Value>();
  #older = new Map<Key, Value>();

  /** Keeps at most this many entries, and always the newest half of them. */
  constructor(most: number) {
    this.#share = Math.max(1, Math.floor(most / 2));
  }

  get(key: Key): Value | undefined {
    return this.#newer.get(key) ?? this.#older.get(key);
  }

  /** Setting an entry makes it the newest. */
  set(key: Key, value: Value): void {
    if (this.#newer.size >= this.#share && !this.#newer.has(key)) {
      this.#older = this.#newer;
      this.#newer = new Map();
    }
    this.#newer.set(key, value);
  }

  clear(): void {
    this.#newer = new Map();
    this.#older = new Map();
  }

  /** Older entries first. */
  *entries(): IterableIterator<[Key, Value]> {
    for (const entry of this.#older) if (!this.#newer.has(entry[0])) yield entry;
    yield* this.#newer;
  }
}
