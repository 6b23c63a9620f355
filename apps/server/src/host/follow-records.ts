// Passes the records of a partition to followers: the past ones that still count, then each new one.
import type { JournalRecord } from '@presage/protocol';
import type { PartitionLog } from './partition-log.ts';

export interface RecordFollower {
  follow(record: JournalRecord): void;
  /** Throws if a record of another node must not be appended. */
  accept?(record: JournalRecord): void;
}

/** Nothing may be appended between reading the past and this call: followers would miss it. */
export function followRecords(
  log: PartitionLog,
  past: Iterable<JournalRecord>,
  followers: readonly RecordFollower[],
): void {
  const follow = (records: Iterable<JournalRecord>): void => {
    for (const record of records) for (const follower of followers) follower.follow(record);
  };
  follow(past);
  log.subscribe(({ records }) => follow(records));
}
