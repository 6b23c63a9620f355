// Repeats work on items until it succeeds; items that arrive meanwhile are handled together.
import { sleep } from './sleep.ts';

export interface RepeatedWorkOptions<T> {
  /** Called with everything added since the last call, each item once. */
  readonly work: (things: readonly T[]) => Promise<unknown>;
  /** Called after a failure; the work will be repeated. */
  readonly onTrouble: (error: unknown) => void;
  readonly pauseMs: number;
}

export class RepeatedWork<T> {
  readonly #options: RepeatedWorkOptions<T>;
  readonly #waiting = new Set<T>();
  readonly #closing = new AbortController();
  #running: Promise<void> = Promise.resolve();
  #isRunning = false;

  constructor(options: RepeatedWorkOptions<T>) {
    this.#options = options;
  }

  add(thing: T): void {
    this.addAll([thing]);
  }

  /** Takes a list, because an argument list cannot hold all wallets of an exchange. */
  addAll(things: readonly T[]): void {
    for (const thing of things) this.#waiting.add(thing);
    if (this.#isRunning) return;
    this.#isRunning = true;
    this.#running = this.#run();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { work, onTrouble, pauseMs } = this.#options;
    const { signal } = this.#closing;
    while (this.#waiting.size > 0 && !signal.aborted) {
      const things = [...this.#waiting];
      this.#waiting.clear();
      try {
        await work(things);
      } catch (error) {
        onTrouble(error);
        for (const thing of things) this.#waiting.add(thing);
        await sleep(pauseMs, signal).catch(() => undefined);
      }
    }
    this.#isRunning = false;
  }
}
