// Schedules retries of what settlement could not send, and keeps the reason.
import { backoffMs } from '@presage/runtime';

export interface SettlementTrouble {
  /** Failed attempts in a row. */
  readonly attempts: number;
  readonly reason: string | undefined;
  /** Time of the next retry in wall milliseconds; undefined while none is planned. */
  readonly nextTryMs: number | undefined;
  /** Batches since the start that were not sent because the contract would have refused them. */
  readonly refusedBatches: number;
}

/** Delays of retries, doubling up to the longest. */
const RETRY = { firstMs: 500, longestMs: 15_000 };

export class Retries {
  readonly #tryAgain: () => void;
  #failures = 0;
  /** Reason of the last failure. */
  #obstacle: string | undefined;
  #nextTryMs: number | undefined;
  #refusedBatches = 0;
  /** End of the rest, by the monotonic clock. */
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

  /** Resets the failures after a batch was sent. */
  onProgress(): void {
    this.#failures = 0;
    this.#obstacle = undefined;
  }

  onRefusedBatch(): void {
    this.#refusedBatches++;
  }

  /** Plans a retry, which replaces the one planned before. */
  later(obstacle: string | undefined): void {
    this.#obstacle = obstacle;
    this.#plan(backoffMs(RETRY, this.#failures++));
  }

  /** Starts a short rest after a failure to send, during which new trades do not trigger an attempt. */
  rest(): void {
    this.#restedMs = performance.now() + RETRY.firstMs;
  }

  /** Whether a rest is in progress; if so, plans the next attempt for its end. */
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
