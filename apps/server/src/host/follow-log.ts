// Follows a partition from its beginning: every record that is durable already, then each new one.
import type { JournalRecord } from '@presage/protocol';
import type { DurableBatch, PartitionLog } from './partition-log.ts';

export interface RecordFollower {
  follow(record: JournalRecord): void;
}

/** Resolves when the followers have seen the past. Nothing may be appended meanwhile: they would miss it. */
export async function followLog(log: PartitionLog, followers: readonly RecordFollower[]): Promise<void> {
  const follow = ({ records }: Pick<DurableBatch, 'records'>): void => {
    for (const record of records) for (const follower of followers) follower.follow(record);
  };
  for await (const batch of log.read(1)) follow(batch);
  log.subscribe(follow);
}
