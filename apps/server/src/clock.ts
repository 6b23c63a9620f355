// The service's clock: wall time plus the sandbox's journalled offset. Order and market expiry are measured with it.

export interface Clock {
  nowMs(): number;
  nowSeconds(): number;
}

export class ServiceClock implements Clock {
  readonly #wallMs: () => number;
  #offsetSeconds = 0;

  constructor(wallMs: () => number = Date.now) {
    this.#wallMs = wallMs;
  }

  get offsetSeconds(): number {
    return this.#offsetSeconds;
  }

  /** Called for each durable clock-offset-set record, at recovery and live. */
  setOffset(seconds: number): void {
    this.#offsetSeconds = seconds;
  }

  nowMs(): number {
    return this.#wallMs() + this.#offsetSeconds * 1_000;
  }

  nowSeconds(): number {
    return Math.floor(this.nowMs() / 1_000);
  }
}
