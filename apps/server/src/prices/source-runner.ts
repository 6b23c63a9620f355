// Keeps one connection to a source alive while it is needed; retries with backoff.
import { setTimeout as sleep } from 'node:timers/promises';
import { Backoff } from '@presage/runtime';

/** Backoff of at most half a minute, so that the end of a long outage is noticed soon. */
const PAUSE = { firstMs: 500, longestMs: 30_000 };
/** Longest requested wait that is respected. */
const LONGEST_ASKED_MS = 3_600_000;

/** Pause before the next attempt: the longer of the source's requested wait and our own backoff. */
export function toPauseMs(askedMs: number, ownMs: number): number {
  return Math.max(ownMs, Math.min(askedMs, LONGEST_ASKED_MS));
}

export abstract class SourceRunner {
  readonly #onTrouble: (error: unknown) => void;
  readonly #backoff = new Backoff(PAUSE);
  #stopping: AbortController | undefined;

  /** `onTrouble` is called for each connection that failed or broke. */
  constructor(onTrouble: (error: unknown) => void) {
    this.#onTrouble = onTrouble;
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

  /** Runs one connection to its end; calls `onGood` for every usable message. */
  protected abstract connect(signal: AbortSignal, onGood: () => void): Promise<void>;

  async #run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const pauseMs = toPauseMs(await this.#connectOnce(signal), this.#backoff.nextMs());
      await sleep(pauseMs, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  /** Connects once; returns the wait that the source requests. */
  async #connectOnce(signal: AbortSignal): Promise<number> {
    try {
      await this.connect(signal, () => this.#backoff.reset());
      return 0;
    } catch (error) {
      if (!signal.aborted) this.#onTrouble(error);
      return error instanceof SourceRefused ? error.retryAfterMs : 0;
    }
  }
}

/** A source refused a connection, with a status and maybe a requested wait. */
export class SourceRefused extends Error {
  override readonly name = 'SourceRefused';
  readonly status: number;
  readonly retryAfterMs: number;

  constructor(status: number, retryAfterMs = 0) {
    super(`refused with ${status}`);
    this.status = status;
    this.retryAfterMs = retryAfterMs;
  }
}

/** Parses Retry-After, which is seconds or a date. */
export function parseRetryAfterMs(header: string | null | undefined): number {
  if (!header) return 0;
  const ms = /^\d+$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - Date.now();
  return Number.isFinite(ms) ? Math.max(0, ms) : 0;
}
