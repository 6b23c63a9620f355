// The base of every read model: which rows a record needs and how it changes them, for every record type.
import type { JournalRecord, RecordOf, RecordType } from '@presage/protocol';
import type { BulkTransaction } from './bulk-transaction.ts';

/** A journal record that earlier records cannot explain: a defect, never caused by the database. */
export class ViewFault extends Error {
  override readonly name = 'ViewFault';
}

/** Index of the partition that the records are from, and the number of partitions. */
export interface FoldedPartition {
  readonly index: number;
  readonly count: number;
}

export type Step<Record> = (record: Record, seq: number) => void;

/** How a model handles one record type. */
export interface Handling<Record> {
  /** Collects what must be loaded before the record can be applied. */
  readonly keys?: Step<Record>;
  readonly apply?: Step<Record>;
}

/** A record type that a model neither handles nor ignores by name does not compile. */
export type RecordTable = { readonly [Name in RecordType]: Handling<RecordOf<Name>> };

const record: Handling<unknown> = {};

const GROUPS = {
  markets: { 'market-listed': record, 'market-closed': record, 'resolution-changed': record },
  orders: { 'order-accepted': record, 'order-cancelled': record, 'order-restored': record, 'permit-changed': record },
  trades: { 'trade-matched': record, 'trade-moved': record, 'trade-failed': record, 'trade-revived': record },
  shares: { 'position-synced': record, 'shares-moved': record, 'payout-redeemed': record, 'chain-rewound': record },
  claims: { 'claim-changed': record },
  /** Records of partitions other than a market's, which no read model handles. */
  others: {
    'clock-offset-set': record,
    'api-key-registered': record,
    'api-key-revoked': record,
    'token-used': record,
    'heartbeat-set': record,
    'maker-set': record,
    'price-pinned': record,
    'partitions-set': record,
    'chain-noted': record,
    'journal-anchored': record,
    'quick-market-changed': record,
    'operator-acted': record,
  },
} as const;

const { trades: _, markets, orders, shares, claims, others } = GROUPS;
/** Groups of ignored records: a model that handles one of a group names the others. */
export const IGNORED = {
  record,
  ...GROUPS,
  besidesTrades: { ...markets, ...orders, ...shares, ...claims, ...others },
};

export abstract class ViewModel {
  protected abstract readonly records: RecordTable;

  abstract write(sql: BulkTransaction): Promise<unknown>;

  /** The table links each type to its handling, which the compiler cannot follow through a union. */
  handlingOf(type: RecordType): Handling<JournalRecord> {
    return this.records[type] as Handling<JournalRecord>;
  }
}
