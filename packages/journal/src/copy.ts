// Copies a partition from one kind of journal to another, frame by frame and unchanged: hashes, times and epochs stay.
import { JournalMisuse } from './errors.ts';
import { encodeFrame, type Frame } from './frame.ts';
import type { Journal } from './journal.ts';

/** A journal that can adopt frames of another one. It is closed afterwards, and reopened for writing. */
export interface AdoptingJournal extends Journal {
  /** Durable when it resolves. Rejects with `JournalMisuse` if the frames do not follow those that it holds. */
  adopt(frames: readonly Frame[]): Promise<void>;
}

export interface CopyProgress {
  readonly partition: string;
  readonly doneSeq: number;
  readonly lastSeq: number;
}

/** Frames are collected up to this size: a sync for each of a million would take an hour. */
const GROUP_BYTES = 1024 * 1024;

/** Continues where an earlier copy ended. Both journals have the same head when it resolves. */
export async function copyJournal(
  from: Journal,
  to: AdoptingJournal,
  onProgress: (progress: CopyProgress) => void = () => undefined,
): Promise<void> {
  const { partition, lastSeq } = from;
  if (to.lastSeq > lastSeq)
    throw new JournalMisuse(`${partition} is ahead at its destination: ${to.lastSeq} of ${lastSeq}.`);
  let group: Frame[] = [];
  let bytes = 0;
  const flush = async () => {
    if (group.length > 0) await to.adopt(group);
    group = [];
    bytes = 0;
    onProgress({ partition, doneSeq: to.lastSeq, lastSeq });
  };
  for await (const frame of from.readWhole(to.lastSeq + 1)) {
    group.push(frame);
    bytes += frame.records.reduce((sum, { length }) => sum + length, 0);
    if (bytes >= GROUP_BYTES) await flush();
  }
  await flush();
  if (to.headHash !== from.headHash) throw new JournalMisuse(`${partition} has another history at its destination.`);
}

/** Encodes the frame again to the bytes that were hashed. */
export function frameBytesOf(frame: Frame): Uint8Array {
  return encodeFrame(frame, frame.records).slice();
}
