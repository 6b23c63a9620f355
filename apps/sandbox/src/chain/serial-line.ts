// A queue that runs asynchronous tasks strictly one after another.

/**
 * The node inside takes one request at a time anyway; standing in one line here as well means that no reader can come
 * between the steps of a block (execute, make durable, show).
 */
export class SerialLine {
  #tail: Promise<unknown> = Promise.resolve();

  run<T>(task: () => Promise<T>): Promise<T> {
    const result = this.#tail.then(task);
    this.#tail = result.then(
      () => undefined,
      () => undefined,
    );
    return result;
  }
}
