// The service's clock: wall time plus the sandbox's journalled offset. Order and market expiry are measured with it.
import type { JournalRecord } from '@presage/protocol';
import { Listeners, OffsetClock } from '@presage/runtime';

export interface Clock {
  nowMs(): number;
  nowSeconds(): number;
}

/** A clock that can be travelled with. */
export interface MovableClock extends Clock {
  onMove(listener: () => void): () => void;
}

export class ServiceClock extends OffsetClock implements MovableClock {
  readonly #movers = new Listeners<[]>();

  /** Called when time travel has moved it. */
  onMove(listener: () => void): () => void {
    return this.#movers.add(listener);
  }

  /** A record of the control partition became durable, at recovery and live. */
  follow(record: JournalRecord): void {
    if (record.type !== 'clock-offset-set') return;
    this.setOffset(record.offsetSeconds);
    this.#movers.call();
  }
}
