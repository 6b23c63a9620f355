// The chain's idea of now: the wall clock plus an offset that time travel moves.

export class ServiceClock {
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

  /** Unix seconds. */
  now(): number {
    return Math.floor(this.#wallMs() / 1000) + this.#offsetSeconds;
  }
}
