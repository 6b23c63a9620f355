// A clock that moves only when told to.

export class ManualClock {
  #nowMs: number;

  /** Starts on a whole second by default, far from any real time, so that use of the wall clock shows. */
  constructor(startMs = 1_900_000_000_000) {
    this.#nowMs = startMs;
  }

  get nowMs(): number {
    return this.#nowMs;
  }

  get nowSeconds(): number {
    return Math.floor(this.#nowMs / 1000);
  }

  advanceMs(ms: number): void {
    if (!(ms >= 0)) throw new RangeError(`a clock does not go back by ${-ms} ms`);
    this.#nowMs += ms;
  }

  advanceSeconds(seconds: number): void {
    this.advanceMs(seconds * 1000);
  }
}
