// Shares reads between simultaneous callers: a caller during a read gets the next one, so that no answer is older than its request.

interface Run<T> {
  readonly answer: Promise<T>;
  hasBegun: boolean;
}

export class SharedRead<T> {
  readonly #read: (key: string) => Promise<T>;
  /** The newest unfinished read of each key. */
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
    // Awaits even without a previous run, so that this run is registered before it begins.
    await previous?.answer.catch(() => undefined);
    own().hasBegun = true;
    try {
      return await this.#read(key);
    } finally {
      if (this.#newest.get(key) === own()) this.#newest.delete(key);
    }
  }
}
