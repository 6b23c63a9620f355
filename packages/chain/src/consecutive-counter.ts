// Counts for how many rounds in a row something has been seen: one odd answer of a node proves nothing.

export class ConsecutiveCounter {
  readonly #rounds = new Map<number, number>();

  of(key: number): number {
    return this.#rounds.get(key) ?? 0;
  }

  count(key: number): number {
    const rounds = this.of(key) + 1;
    this.#rounds.set(key, rounds);
    return rounds;
  }

  reset(key: number): number {
    this.#rounds.delete(key);
    return 0;
  }

  /** Counts these, resets all others, and answers those seen for at least so many rounds. */
  observe(keys: readonly number[], leastRounds: number): number[] {
    const present = new Set(keys);
    for (const key of this.#rounds.keys()) if (!present.has(key)) this.#rounds.delete(key);
    return keys.filter((key) => this.count(key) >= leastRounds);
  }
}
