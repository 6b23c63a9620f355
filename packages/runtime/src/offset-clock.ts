// A clock at an offset from the wall clock, which time travel in a sandbox changes.

export class OffsetClock {
  readonly #wallMs: () => number;
  #offsetSeconds = 0;

  constructor(wallMs: () => number = Date.now) {
    this.#wallMs = wallMs;
  }

  get offsetSeconds(): number {
    return this.#offsetSeconds;
  }

  setOffset(seconds: number): void {
    this.#offsetSeconds = seconds;
  }

  /** Bound, so that it can be passed as a function. */
  readonly nowMs = (): number => this.#wallMs() + this.#offsetSeconds * 1_000;

  nowSeconds(): number {
    return Math.floor(this.nowMs() / 1_000);
  }
}
