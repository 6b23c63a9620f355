// Runs asynchronous tasks one after another, callers in turn: a caller with one task waits for at most one of each other caller.

export class FairQueue {
  /** Waiting tasks of each caller, in the order in which callers are served. */
  readonly #waiting = new Map<string, (() => Promise<void>)[]>();
  #isRunning = false;

  /** Number of tasks of a caller that wait for their turn. */
  waitingOf(caller: string): number {
    return this.#waiting.get(caller)?.length ?? 0;
  }

  /** Settles with the task; a failing task does not keep the next from running. */
  run<T>(caller: string, task: () => T | Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const run = async () => {
        try {
          resolve(await task());
        } catch (error) {
          reject(error);
        }
      };
      const queue = this.#waiting.get(caller);
      if (queue === undefined) this.#waiting.set(caller, [run]);
      else queue.push(run);
      if (!this.#isRunning) void this.#runAll();
    });
  }

  async #runAll(): Promise<void> {
    this.#isRunning = true;
    for (let next = this.#takeNext(); next !== undefined; next = this.#takeNext()) await next();
    this.#isRunning = false;
  }

  #takeNext(): (() => Promise<void>) | undefined {
    const [first] = this.#waiting;
    if (first === undefined) return undefined;
    const [caller, queue] = first;
    const task = queue.shift();
    // Moves the caller behind all others.
    this.#waiting.delete(caller);
    if (queue.length > 0) this.#waiting.set(caller, queue);
    return task;
  }
}
