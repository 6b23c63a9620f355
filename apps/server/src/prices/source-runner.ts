// Keeps one connection to a source alive while it is wanted: again and again, with growing pauses.
import { setTimeout as sleep } from 'node:timers/promises';
import { Backoff } from '@presage/runtime';
import { SourceRefused } from './source-refused.ts';

export interface SourceRunnerOptions {
  /** One connection from beginning to end; calls `onGood` with each thing it could use. */
  readonly connect: (signal: AbortSignal, onGood: () => void) => Promise<void>;
  /** For each connection that could not be had or broke. */
  readonly onTrouble: (error: unknown) => void;
}

/** Half a minute at most: an outage of hours is over for us half a minute after it is over. */
const PAUSE = { firstMs: 500, longestMs: 30_000 };
/** However long a source asks to be left alone, after an hour it is tried again. */
const LONGEST_ASKED_MS = 3_600_000;

/** The longer of what the source asked for and our own. */
export function toPauseMs(askedMs: number, ownMs: number): number {
  return Math.max(ownMs, Math.min(askedMs, LONGEST_ASKED_MS));
}

export class SourceRunner {
  readonly #options: SourceRunnerOptions;
  readonly #backoff = new Backoff(PAUSE);
  #stopping: AbortController | undefined;

  constructor(options: SourceRunnerOptions) {
    this.#options = options;
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
      const pauseMs = toPauseMs(await this.#connectOnce(signal), this.#backoff.nextMs());
      await sleep(pauseMs, undefined, { signal, ref: false }).catch(() => undefined);
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
