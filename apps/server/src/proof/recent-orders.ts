// Journal places of a partition's newest accepted orders, so that repeated answers have receipts even while the view lags or is down.
import type { FrameSeal } from '@presage/journal';
import type { JournalRecord, OrderHash } from '@presage/protocol';
import { NewestMap } from '@presage/runtime';

/** The needed part of a durable batch. */
export interface DurableRecords {
  readonly firstSeq: number;
  readonly records: readonly JournalRecord[];
  readonly frame: FrameSeal;
}

interface AcceptedAt {
  readonly frame: FrameSeal;
  readonly seq: number;
}

/** Orders kept, in at most 13 MB. Clients repeat requests within seconds, and half as many cover that in a busy partition. */
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
