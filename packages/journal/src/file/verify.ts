// Checks a journal directory from end to end without changing anything: for the operator and for backups.

import { NO_HASH } from '../frame-chain.ts';
import { type JournalFiles, nodeFiles } from './files.ts';
import { readMark } from './mark.ts';
import { keptSegments, readOrigin } from './origin.ts';
import { scanJournal } from './scan.ts';
import { listSegments } from './segments.ts';

export interface VerifyReport {
  /** Undefined in a journal without a frame. */
  readonly partition: string | undefined;
  readonly segments: number;
  readonly frames: number;
  readonly records: number;
  /** 1 unless older segments were deleted. */
  readonly firstSeq: number;
  readonly lastSeq: number;
  /** Remains of a frame in flight. While a process is writing, that may just be the frame it is writing now. */
  readonly tornBytes: number;
  readonly headHash: string;
  readonly markDamaged: boolean;
}

/** Rejects with `JournalCorrupt` exactly when opening would. Takes no lock. */
export async function verifyJournal(dir: string, files: JournalFiles = nodeFiles): Promise<VerifyReport> {
  const mark = await readMark(files, dir);
  const { segments, origin } = keptSegments(await listSegments(files, dir), await readOrigin(files, dir));
  const point = mark === 'damaged' ? undefined : mark;
  const { chain, tail, frames, records } = await scanJournal({
    files,
    dir,
    segments,
    origin,
    partition: undefined,
    mark: point,
  });
  const { partition, lastSeq, hash } = chain.point;
  return {
    partition,
    segments: segments.length,
    frames,
    records,
    firstSeq: origin?.firstSeq ?? 1,
    lastSeq,
    tornBytes: tail ? tail.tornEnd - tail.end : 0,
    headHash: Buffer.from(hash ?? NO_HASH).toString('hex'),
    markDamaged: mark === 'damaged',
  };
}
