// Runs asynchronous tasks one after another, in the order they were given.

export class SerialQueue {
  #tail: Promise<unknown> = Promise.resolve();

  /** Settles with the task; a failing task does not keep the next from running. */
  run<T>(task: () => T | Promise<T>): Promise<T> {
    const result = this.#tail.then(task);
    this.#tail = result.catch(() => undefined);
    return result;
  }

  /** Resolves when every task added so far has ended. */
  async idle(): Promise<void> {
    await this.#tail;
  }
}
