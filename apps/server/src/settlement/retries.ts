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
  /** By the monotonic clock. */
  #restedMs = 0;
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
    this.#plan(backoffMs(RETRY, this.#failures++));
  }

  /** Nothing can be sent: for a moment, new trades are no reason for another attempt. */
  rest(): void {
    this.#restedMs = performance.now() + RETRY.firstMs;
  }

  /** Whether a new trade has to wait for the end of a rest, which is when the next attempt is made then. */
  mustRest(): boolean {
    const leftMs = this.#restedMs - performance.now();
    if (leftMs <= 0) return false;
    this.#plan(leftMs);
    return true;
  }

  now(): void {
    clearTimeout(this.#timer);
    if (this.#isClosed) return;
    this.#nextTryMs = undefined;
    this.#restedMs = 0;
    this.#tryAgain();
  }

  #plan(delayMs: number): void {
    if (this.#isClosed) return;
    clearTimeout(this.#timer);
    this.#nextTryMs = Date.now() + delayMs;
    this.#timer = setTimeout(() => this.now(), delayMs);
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }
}
