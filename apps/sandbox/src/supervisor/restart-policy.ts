// When a child that ended is started again: soon at first, later each time, and for ever, since most causes pass by themselves.
import { backoffMs } from '@presage/runtime';

/** A child that ran for longer than this has recovered. */
const RECOVERED_MS = 60_000;
const DELAY = { firstMs: 100, longestMs: 30_000 };

export class RestartPolicy {
  #ends = 0;
  /** When the last start was due. */
  #startMs = Number.NEGATIVE_INFINITY;

  /** The pause before the next start of a child that ended now. */
  nextDelayMs(nowMs: number): number {
    if (nowMs - this.#startMs > RECOVERED_MS) this.#ends = 0;
    const delayMs = backoffMs(DELAY, this.#ends++);
    this.#startMs = nowMs + delayMs;
    return delayMs;
  }
}
