// Shows followers the records of a partition: what stands of the past, then each new one.
import type { JournalRecord } from '@presage/protocol';
import type { PartitionLog } from './partition-log.ts';

export interface RecordFollower {
  follow(record: JournalRecord): void;
  /** Throws where a record that another node wants to append must not be. */
  accept?(record: JournalRecord): void;
}

/** Nothing may be appended between the reading of the past and this: they would miss it. */
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
