// Keeps one connection to a source alive while it is wanted: retries with growing pauses.
import { setTimeout as sleep } from 'node:timers/promises';
import { Backoff } from '@presage/runtime';
import { SourceRefused } from './source-refused.ts';

export interface SourceRunnerOptions {
  /** Runs one connection to its end; calls `onGood` for every usable message. */
  readonly connect: (signal: AbortSignal, onGood: () => void) => Promise<void>;
  /** Called for each connection that failed or broke. */
  readonly onTrouble: (error: unknown) => void;
}

/** At most half a minute, so that the end of a long outage is noticed soon. */
const PAUSE = { firstMs: 500, longestMs: 30_000 };
/** A source is retried after an hour, however long it asks to wait. */
const LONGEST_ASKED_MS = 3_600_000;

/** The longer of the source's requested wait and our own backoff. */
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

  /** How long the source asks to wait. */
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
