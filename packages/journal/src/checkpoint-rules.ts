// What every body demands of a checkpoint before it is kept and after it is found.

import { JournalCorrupt } from './errors.ts';
import type { Checkpoint } from './journal.ts';

export const CHECKPOINTS_KEPT = 2;

const STATE_HASH = /^[0-9a-f]{64}$/;

export function assertCheckpoint(checkpoint: Checkpoint, lastSeq: number): void {
  const { seq, stateHash } = checkpoint;
  if (!Number.isSafeInteger(seq) || seq < 1 || seq > lastSeq) {
    throw new RangeError(`A checkpoint at sequence ${seq} does not lie within the journal, which ends at ${lastSeq}.`);
  }
  if (!STATE_HASH.test(stateHash)) throw new RangeError('A state hash has 64 lower-case hexadecimal digits.');
}

/** A checkpoint is only written of durable records: one ahead of the journal proves that its tail was lost. */
export function assertNotAhead(checkpoint: Checkpoint, lastSeq: number, file: string): void {
  if (checkpoint.seq <= lastSeq) return;
  const reason = `a checkpoint holds sequence ${checkpoint.seq}, but the journal ends at ${lastSeq}: acknowledged records are missing`;
  throw new JournalCorrupt({ file, offset: 0, expectedSeq: lastSeq + 1, reason });
}
