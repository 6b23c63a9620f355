// Limits the messages that a connection may send per second.

/** Refusals after which a connection is closed; reset once it has been silent long enough to regain its whole allowance. */
const MOST_REFUSALS = 200;

export class MessageAllowance {
  readonly #perSecond: number;
  #left: number;
  #countedMs: number;
  #refused = 0;

  constructor(perSecond: number, nowMs: number) {
    this.#perSecond = perSecond;
    this.#left = perSecond;
    this.#countedMs = nowMs;
  }

  take(nowMs: number): 'granted' | 'refused' | 'exhausted' {
    const earned = ((nowMs - this.#countedMs) / 1_000) * this.#perSecond;
    this.#left = Math.min(this.#perSecond, this.#left + earned);
    this.#countedMs = nowMs;
    if (this.#left === this.#perSecond) this.#refused = 0;
    if (this.#left < 1) return ++this.#refused > MOST_REFUSALS ? 'exhausted' : 'refused';
    this.#left--;
    return 'granted';
  }
}
