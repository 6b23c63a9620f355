// The service's clock: wall time plus the sandbox's journalled offset. Order and market expiry are measured with it.

import type { JournalRecord } from '@presage/protocol';

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

  /** A record of the control partition became durable, at recovery and live. */
  follow(record: JournalRecord): void {
    if (record.type === 'clock-offset-set') this.#offsetSeconds = record.offsetSeconds;
  }

  nowMs(): number {
    return this.#wallMs() + this.#offsetSeconds * 1_000;
  }

  nowSeconds(): number {
    return Math.floor(this.nowMs() / 1_000);
  }
}
