// Shares one read among all components that request the same data at the same time.

interface Read<T> {
  readonly controller: AbortController;
  readonly result: Promise<T>;
  readers: number;
}

export class SharedReads<T> {
  readonly #underWay = new Map<string, Read<T>>();

  /** Aborts `load` when no component waits for it any more. */
  read(key: string, signal: AbortSignal, load: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const read = this.#underWay.get(key) ?? this.#start(key, load);
    read.readers += 1;
    signal.addEventListener('abort', () => this.#leave(key, read), { once: true });
    return read.result;
  }

  #start(key: string, load: (signal: AbortSignal) => Promise<T>): Read<T> {
    const controller = new AbortController();
    const forget = () => this.#forget(key, read);
    const result = load(controller.signal);
    const read: Read<T> = { controller, result, readers: 0 };
    this.#underWay.set(key, read);
    result.then(forget, forget);
    return read;
  }

  #leave(key: string, read: Read<T>): void {
    read.readers -= 1;
    if (read.readers > 0) return;
    this.#forget(key, read);
    read.controller.abort();
  }

  #forget(key: string, read: Read<T>): void {
    if (this.#underWay.get(key) === read) this.#underWay.delete(key);
  }
}
