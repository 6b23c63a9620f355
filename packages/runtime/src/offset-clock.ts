// A clock that runs beside the wall clock at an offset, which time travel in a sandbox moves.

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

  /** Bound, so that it can be passed on as it is. */
  readonly nowMs = (): number => this.#wallMs() + this.#offsetSeconds * 1_000;

  nowSeconds(): number {
    return Math.floor(this.nowMs() / 1_000);
  }
}
