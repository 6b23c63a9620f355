// Where the newest accepted orders of a partition are in the journal, so that a repeated answer has its receipt even while the view lags or is down.
import type { FrameSeal } from '@presage/journal';
import type { JournalRecord, OrderHash } from '@presage/protocol';
import { NewestMap } from '@presage/runtime';

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

/** Clients repeat a request within seconds: half as many orders cover that time of a busy partition, in at most 13 MB. */
const MOST_ORDERS = 65_536;

export class RecentOrders {
  readonly #accepted = new NewestMap<OrderHash, AcceptedAt>(MOST_ORDERS);

  note({ firstSeq, records, frame }: DurableRecords): void {
    for (let at = 0; at < records.length; at++) {
      const record = records[at]!;
      if (record.type === 'order-accepted') this.#accepted.set(record.orderHash, { frame, seq: firstSeq + at });
    }
  }

  find(orderHash: OrderHash): AcceptedAt | undefined {
    return this.#accepted.get(orderHash);
  }
}
