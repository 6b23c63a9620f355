// The service's clock: wall time plus the sandbox's journalled offset. Order and market expiry are measured with it.
import type { JournalRecord } from '@presage/protocol';
import { OffsetClock } from '@presage/runtime';

export interface Clock {
  nowMs(): number;
  nowSeconds(): number;
}

export class ServiceClock extends OffsetClock implements Clock {
  /** A record of the control partition became durable, at recovery and live. */
  follow(record: JournalRecord): void {
    if (record.type === 'clock-offset-set') this.setOffset(record.offsetSeconds);
  }
}
