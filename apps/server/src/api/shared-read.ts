// A read that many ask for at the same time: whoever comes while one is under way shares the next one, so that no answer is older than its request.

interface Run<T> {
  readonly answer: Promise<T>;
  hasBegun: boolean;
}

export class SharedRead<T> {
  readonly #read: (key: string) => Promise<T>;
  /** The newest read of each key that has not ended. */
  readonly #newest = new Map<string, Run<T>>();

  constructor(read: (key: string) => Promise<T>) {
    this.#read = read;
  }

  get(key: string): Promise<T> {
    const newest = this.#newest.get(key);
    if (newest !== undefined && !newest.hasBegun) return newest.answer;
    const run: Run<T> = { answer: this.#runAfter(newest, key, () => run), hasBegun: false };
    this.#newest.set(key, run);
    return run.answer;
  }

  async #runAfter(previous: Run<T> | undefined, key: string, own: () => Run<T>): Promise<T> {
    // Waits in any case, so that the run is noted before it begins.
    await previous?.answer.catch(() => undefined);
    own().hasBegun = true;
    try {
      return await this.#read(key);
    } finally {
      if (this.#newest.get(key) === own()) this.#newest.delete(key);
    }
  }
}
