// When settlement tries again what it could not send, and why it could not.
import { backoffMs } from '@presage/runtime';

export interface SettlementTrouble {
  /** Failed attempts in a row. */
  readonly attempts: number;
  readonly reason: string | undefined;
  /** Wall milliseconds; undefined while none is planned. */
  readonly nextTryMs: number | undefined;
  /** Batches that the contract would have refused, before they were sent; since the start. */
  readonly refusedBatches: number;
}

/** A fault that may pass is tried again after this, doubling up to the longest. */
const RETRY = { firstMs: 500, longestMs: 15_000 };

export class Retries {
  readonly #tryAgain: () => void;
  #failures = 0;
  /** Why the last attempt failed. */
  #obstacle: string | undefined;
  #nextTryMs: number | undefined;
  #refusedBatches = 0;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(tryAgain: () => void) {
    this.#tryAgain = tryAgain;
  }

  get trouble(): SettlementTrouble {
    return {
      attempts: this.#failures,
      reason: this.#obstacle,
      nextTryMs: this.#nextTryMs,
      refusedBatches: this.#refusedBatches,
    };
  }

  /** A batch was sent. */
  onProgress(): void {
    this.#failures = 0;
    this.#obstacle = undefined;
  }

  onRefusedBatch(): void {
    this.#refusedBatches++;
  }

  /** One attempt is planned at a time, the latest. */
  later(obstacle: string | undefined): void {
    this.#obstacle = obstacle;
    if (this.#isClosed) return;
    clearTimeout(this.#timer);
    const delayMs = backoffMs(RETRY, this.#failures++);
    this.#nextTryMs = Date.now() + delayMs;
    this.#timer = setTimeout(() => this.now(), delayMs);
  }

  now(): void {
    clearTimeout(this.#timer);
    if (this.#isClosed) return;
    this.#nextTryMs = undefined;
    this.#tryAgain();
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }
}
