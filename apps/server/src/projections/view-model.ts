// What every read model has: which rows a record needs, and what the record does to them; for every type of record there is.
import type { JournalRecord, RecordOf, RecordType } from '@presage/protocol';
import type { TransactionSql } from '../store/column-types.ts';

/** A journal record that the records before it cannot explain: a defect, never caused by the database. */
export class ViewFault extends Error {
  override readonly name = 'ViewFault';
}

export type Step<Record> = (record: Record, seq: number) => void;

/** What a model does with one type of record. */
export interface Handling<Record> {
  /** Notes what must be loaded before the record can be applied. */
  readonly keys?: Step<Record>;
  readonly apply?: Step<Record>;
}

/** A type that a model neither handles nor names as ignored does not compile. */
export type RecordTable = { readonly [Name in RecordType]: Handling<RecordOf<Name>> };

export const IGNORED: Handling<unknown> = {};

/** Records of other partitions than a market's: no read model handles them. */
export const OF_OTHER_PARTITIONS = {
  'clock-offset-set': IGNORED,
  'api-key-registered': IGNORED,
  'api-key-revoked': IGNORED,
  'token-used': IGNORED,
  'heartbeat-set': IGNORED,
  'maker-set': IGNORED,
  'price-pinned': IGNORED,
  'partitions-set': IGNORED,
  'chain-noted': IGNORED,
  'journal-anchored': IGNORED,
  'quick-market-changed': IGNORED,
  'operator-acted': IGNORED,
} as const;

/** Records that a model ignores if it only adds up trades: it handles matched and failed ones. */
export const IGNORED_BY_SUMS = {
  'market-listed': IGNORED,
  'market-closed': IGNORED,
  'order-accepted': IGNORED,
  'order-cancelled': IGNORED,
  'order-restored': IGNORED,
  'permit-changed': IGNORED,
  'trade-moved': IGNORED,
  'resolution-changed': IGNORED,
  'position-synced': IGNORED,
  'shares-moved': IGNORED,
  'payout-redeemed': IGNORED,
  'chain-rewound': IGNORED,
  'claim-changed': IGNORED,
  ...OF_OTHER_PARTITIONS,
} as const satisfies Omit<RecordTable, 'trade-matched' | 'trade-failed'>;

export abstract class ViewModel {
  protected abstract readonly records: RecordTable;

  abstract write(sql: TransactionSql): Promise<unknown>;

  /** The table ties each type to its own handling, which the compiler cannot follow through a union. */
  handlingOf(type: RecordType): Handling<JournalRecord> {
    return this.records[type] as Handling<JournalRecord>;
  }
}
