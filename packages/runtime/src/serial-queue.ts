// Runs asynchronous tasks one after another, in the order they were given.

export class SerialQueue {
  #tail: Promise<unknown> = Promise.resolve();

  /** Settles as the task does; one that fails does not keep the next from running. */
  run<T>(task: () => T | Promise<T>): Promise<T> {
    const result = this.#tail.then(task);
    this.#tail = result.catch(() => undefined);
    return result;
  }

  /** Resolves when everything given so far has ended. */
  async idle(): Promise<void> {
    await this.#tail;
  }
}
