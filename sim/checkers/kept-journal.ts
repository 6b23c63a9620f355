// The journal at the end of a life: read from a copy of the disk, with the code of a start.
import { FileJournal, type Frame } from '@presage/journal';
import { decodeRecord, type JournalRecord } from '@presage/protocol';
import type { HistoryCheck } from '@presage/sdk/verify';
import { SimulatedDisk } from '../../packages/journal/test/simulated-disk.ts';
import { DATA_DIR } from '../world/sim-config.ts';

export interface KeptRecord {
  readonly seq: number;
  readonly record: JournalRecord;
}

/** Every frame of one partition, verified from the first byte. */
export async function readKeptFrames(files: ReadonlyMap<string, Uint8Array>, partition: string): Promise<Frame[]> {
  const disk = new SimulatedDisk();
  disk.load(files);
  const probe = { self: async () => ({ pid: 1, startTicks: 1, bootId: 'checker' }), isAlive: async () => false };
  const dir = `${DATA_DIR}/journal/${partition}`;
  const journal = await FileJournal.open({ dir, partition, files: disk, probe });
  const frames: Frame[] = [];
  for await (const frame of journal.readWhole(1)) frames.push(frame);
  await journal.close();
  return frames;
}

export function toRecords(frames: readonly Frame[]): KeptRecord[] {
  return frames.flatMap(({ firstSeq, records }) =>
    records.map((bytes, index) => ({ seq: firstSeq + index, record: decodeRecord(bytes) })),
  );
}

/** One market partition at the end of a life, with the sums of its records. */
export interface KeptPartition {
  readonly partition: string;
  readonly records: readonly KeptRecord[];
  readonly history: HistoryCheck;
}
