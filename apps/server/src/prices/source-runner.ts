// Keeps one connection to a source alive while it is wanted: again and again, with growing pauses.
import { setTimeout as sleep } from 'node:timers/promises';
import { Backoff } from './backoff.ts';
import { SourceRefused } from './source-refused.ts';

export interface SourceRunnerOptions {
  /** One connection from beginning to end; calls `onGood` with each thing it could use. */
  readonly connect: (signal: AbortSignal, onGood: () => void) => Promise<void>;
  /** For each connection that could not be had or broke. */
  readonly onTrouble: (error: unknown) => void;
  readonly backoff?: Backoff;
}

export class SourceRunner {
  readonly #options: SourceRunnerOptions;
  readonly #backoff: Backoff;
  #stopping: AbortController | undefined;

  constructor(options: SourceRunnerOptions) {
    this.#options = options;
    this.#backoff = options.backoff ?? new Backoff();
  }

  start(): void {
    if (this.#stopping !== undefined) return;
    this.#stopping = new AbortController();
    void this.#run(this.#stopping.signal);
  }

  stop(): void {
    this.#stopping?.abort();
    this.#stopping = undefined;
  }

  async #run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const askedMs = await this.#connectOnce(signal);
      await sleep(this.#backoff.nextMs(askedMs), undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  /** How long the source wants to be left alone. */
  async #connectOnce(signal: AbortSignal): Promise<number> {
    try {
      await this.#options.connect(signal, () => this.#backoff.reset());
      return 0;
    } catch (error) {
      if (!signal.aborted) this.#options.onTrouble(error);
      return error instanceof SourceRefused ? error.retryAfterMs : 0;
    }
  }
}
