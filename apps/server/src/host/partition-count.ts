// Over how many partitions the markets are spread: agreed at the first start, and the same ever since.
import type { ControlState } from './control-state.ts';
import type { RecordFollower } from './follow-records.ts';
import type { PartitionLog } from './partition-log.ts';

interface PartitionCountOptions {
  readonly wanted: number;
  /** What the control partition says. */
  readonly fold: ControlState;
  readonly control: PartitionLog;
  /** The first partition of markets. */
  readonly first: PartitionLog;
  readonly nowMs: () => number;
}

/** A market would be looked for in another partition than the one that has its orders. */
class PartitionCountFixed extends Error {
  override readonly name = 'PartitionCountFixed';

  constructor(count: number, wanted: number) {
    super(
      `The markets of this journal are spread over ${count} partition(s), PRESAGE_PARTITIONS asks for ${wanted}: ` +
        `set PRESAGE_PARTITIONS=${count}${count === 1 ? ' or leave it unset' : ''}, or begin with an empty data directory.`,
    );
  }
}

/** Written down only where it is more than one: a journal of one partition says so by saying nothing. */
export async function agreePartitionCount(options: PartitionCountOptions): Promise<void> {
  const { wanted, fold, control, first, nowMs } = options;
  const isOpen = fold.partitionCount === 1 && first.lastSeq === 0;
  if (wanted === fold.partitionCount) return;
  if (!isOpen) throw new PartitionCountFixed(fold.partitionCount, wanted);
  await control.append([{ type: 'partitions-set', timeMs: nowMs(), count: wanted }]);
}

/** For a node that agrees on nothing and only follows what the others agreed on: throws where that is another number. */
export function requirePartitionCount(wanted: number): RecordFollower {
  return {
    follow: (record) => {
      if (record.type === 'partitions-set' && record.count !== wanted)
        throw new PartitionCountFixed(record.count, wanted);
    },
  };
}
