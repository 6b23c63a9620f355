// Number of partitions that the markets are spread over: agreed at the first start and fixed since.
import type { ControlState } from './control-state.ts';
import type { RecordFollower } from './follow-records.ts';
import type { PartitionLog } from './partition-log.ts';

interface PartitionCountOptions {
  readonly wanted: number;
  /** State of the control partition. */
  readonly fold: ControlState;
  readonly control: PartitionLog;
  /** The first partition of markets. */
  readonly first: PartitionLog;
  readonly nowMs: () => number;
}

/** The count cannot change: a market would be looked up in another partition than the one with its orders. */
class PartitionCountFixed extends Error {
  override readonly name = 'PartitionCountFixed';

  constructor(count: number, wanted: number) {
    super(
      `The markets of this journal are spread over ${count} partition(s), PRESAGE_PARTITIONS asks for ${wanted}: ` +
        `set PRESAGE_PARTITIONS=${count}${count === 1 ? ' or leave it unset' : ''}, or begin with an empty data directory.`,
    );
  }
}

/** Records the count only if it is above one: a journal without such a record has one partition. */
export async function agreePartitionCount(options: PartitionCountOptions): Promise<void> {
  const { wanted, fold, control, first, nowMs } = options;
  const isOpen = fold.partitionCount === 1 && first.lastSeq === 0;
  if (wanted === fold.partitionCount) return;
  if (!isOpen) throw new PartitionCountFixed(fold.partitionCount, wanted);
  await control.append([{ type: 'partitions-set', timeMs: nowMs(), count: wanted }]);
}

/** Follower for a node that only follows the agreement of others: throws if the recorded count differs. */
export function requirePartitionCount(wanted: number): RecordFollower {
  return {
    follow: (record) => {
      if (record.type === 'partitions-set' && record.count !== wanted)
        throw new PartitionCountFixed(record.count, wanted);
    },
  };
}
