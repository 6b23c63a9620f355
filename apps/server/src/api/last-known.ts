// Caches a frequently requested answer: fresh if that is quick, otherwise the last known one.
import { setTimeout as sleep } from 'node:timers/promises';

interface LastKnownOptions<T> {
  readonly ask: () => Promise<T>;
  readonly nowMs: () => number;
  /** Maximum age of an answer that is reused. */
  readonly reuseMs: number;
  /** Maximum wait for a fresh answer, once there is an older one. */
  readonly patienceMs: number;
}

export class LastKnown<T> {
  readonly #options: LastKnownOptions<T>;
  #known: { readonly answer: T; readonly atMs: number } | undefined;
  #asking: Promise<T> | undefined;

  constructor(options: LastKnownOptions<T>) {
    this.#options = options;
  }

  async read(): Promise<T> {
    const { nowMs, reuseMs, patienceMs } = this.#options;
    const known = this.#known;
    const ageMs = known === undefined ? Number.POSITIVE_INFINITY : nowMs() - known.atMs;
    if (known !== undefined && ageMs >= 0 && ageMs < reuseMs) return known.answer;
    this.#asking ??= this.#ask();
    if (known === undefined) return this.#asking;
    const timer = new AbortController();
    const patience = sleep(patienceMs, known.answer, { signal: timer.signal }).catch(() => known.answer);
    return Promise.race([this.#asking, patience]).finally(() => timer.abort());
  }

  /** Asks for a fresh answer, one question at a time: a dependency that hangs must not be asked once per reader. */
  async #ask(): Promise<T> {
    try {
      const answer = await this.#options.ask();
      this.#known = { answer, atMs: this.#options.nowMs() };
      return answer;
    } finally {
      this.#asking = undefined;
    }
  }
}
