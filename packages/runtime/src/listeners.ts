// Functions that are called when something happens, in the order they were added.

export class Listeners<Args extends readonly unknown[] = []> {
  readonly #listeners = new Set<(...args: Args) => void>();

  get size(): number {
    return this.#listeners.size;
  }

  /** Returns how to remove it again. */
  add(listener: (...args: Args) => void): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  call(...args: Args): void {
    for (const listener of this.#listeners) listener(...args);
  }
}
