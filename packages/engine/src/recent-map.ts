// A map with a cache of recent look-ups: events look up again what their command was decided about.

/** Only found entries are cached, so that look-ups of missing keys evict nothing. */
export class RecentMap<Key, Value> {
  readonly #entries = new Map<Key, Value>();
  #key: Key | undefined = undefined;
  #value: Value | undefined = undefined;

  get size(): number {
    return this.#entries.size;
  }

  get(key: Key): Value | undefined {
    if (this.#key === key) return this.#value;
    const value = this.#entries.get(key);
    if (value !== undefined) this.#remember(key, value);
    return value;
  }

  has(key: Key): boolean {
    return this.#entries.has(key);
  }

  set(key: Key, value: Value): void {
    this.#entries.set(key, value);
    this.#remember(key, value);
  }

  delete(key: Key): void {
    this.#entries.delete(key);
    if (this.#key === key) this.#remember(undefined, undefined);
  }

  /** Values in insertion order. */
  values(): IterableIterator<Value> {
    return this.#entries.values();
  }

  #remember(key: Key | undefined, value: Value | undefined): void {
    this.#key = key;
    this.#value = value;
  }
}
