// Where the newest accepted orders of a partition are in the journal, so that a repeated answer has its receipt even while the view lags or is down.
import type { FrameSeal } from '@presage/journal';
import type { JournalRecord, OrderHash } from '@presage/protocol';

/** A frame that became durable, as far as this needs it. */
export interface DurableRecords {
  readonly firstSeq: number;
  readonly records: readonly JournalRecord[];
  readonly frame: FrameSeal;
}

interface AcceptedAt {
  readonly frame: FrameSeal;
  readonly seq: number;
}

/** Clients repeat a request within seconds: this many orders cover half a minute of a busy partition, in about 10 MB. */
const MOST_ORDERS = 65_536;

export class RecentOrders {
  readonly #accepted = new Map<OrderHash, AcceptedAt>();

  note({ firstSeq, records, frame }: DurableRecords): void {
    for (let at = 0; at < records.length; at++) {
      const record = records[at]!;
      if (record.type === 'order-accepted') this.#add(record.orderHash, { frame, seq: firstSeq + at });
    }
  }

  find(orderHash: OrderHash): AcceptedAt | undefined {
    return this.#accepted.get(orderHash);
  }

  #add(orderHash: OrderHash, accepted: AcceptedAt): void {
    this.#accepted.set(orderHash, accepted);
    if (this.#accepted.size <= MOST_ORDERS) return;
    for (const oldest of this.#accepted.keys()) {
      this.#accepted.delete(oldest);
      return;
    }
  }
}
