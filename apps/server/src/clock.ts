// The service's clock: wall time plus the sandbox's journalled offset. Order and market expiry are measured with it.
import type { JournalRecord } from '@presage/protocol';
import { Listeners, OffsetClock } from '@presage/runtime';

export interface Clock {
  nowMs(): number;
  nowSeconds(): number;
}

/** A clock that time travel in the sandbox can move. */
export interface MovableClock extends Clock {
  onMove(listener: () => void): () => void;
}

export class ServiceClock extends OffsetClock implements MovableClock {
  readonly #movers = new Listeners<[]>();

  /** Calls the listener after time travel has moved the clock. */
  onMove(listener: () => void): () => void {
    return this.#movers.add(listener);
  }

  /** Applies a durable record of the control partition, at recovery and live. */
  follow(record: JournalRecord): void {
    if (record.type !== 'clock-offset-set') return;
    this.setOffset(record.offsetSeconds);
    this.#movers.call();
  }
}
