// How many messages a connection may still send in this second.

/** Refusals before a connection is ended, counted until it has been silent long enough to have its whole allowance back. */
const TIMEOUT = 200;

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
    if (this.#left < 1) return ++this.#refused > TIMEOUT ? 'exhausted' : 'refused';
    this.#left--;
    return 'granted';
  }
}
