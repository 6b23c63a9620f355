// Reads the frames and checkpoints of a partition in PostgreSQL, each frame checked: for its owner and for those who follow it.
import { assertNotAhead } from '../body.ts';
import { JournalCorrupt } from '../errors.ts';
import { decodeFrame, type Frame } from '../frame.ts';
import { FrameChain } from '../frame-chain.ts';
import type { CheckpointFound } from '../journal.ts';
import type { JournalDatabase } from './database.ts';
import { READ_CHECKPOINT, READ_FIRST_HASH, READ_FRAMES, READ_TAIL } from './statements.ts';

export interface PartitionPlace {
  readonly database: JournalDatabase;
  readonly partition: string;
}

interface TailRow {
  readonly last_seq: string;
  readonly hash: Uint8Array;
  readonly frame: Uint8Array;
}

const FRAMES_A_READ = 64;

/** A page at a time, each frame checked against the one before. */
export async function* readFrames(
  { database, partition }: PartitionPlace,
  fromSeq: number,
  endSeq: number,
): AsyncGenerator<Frame, void, void> {
  let chain: FrameChain | undefined;
  for (let next = fromSeq; next <= endSeq; ) {
    const rows = await database.query<{ frame: Uint8Array }>(READ_FRAMES, [partition, next, endSeq, FRAMES_A_READ]);
    if (rows.length === 0) throw regressed(partition, endSeq, next - 1);
    for (const row of rows) {
      const frame = decode(row.frame, partition, next);
      chain ??= chainBefore(frame, partition);
      assertFollows(chain, frame);
      chain.advance(frame);
      next = frame.lastSeq + 1;
      yield frame;
    }
  }
}

function chainBefore({ firstSeq }: Frame, partition: string): FrameChain {
  if (firstSeq === 1) return FrameChain.atStart(partition);
  return new FrameChain({ partition, lastSeq: firstSeq - 1, hash: undefined, timeMs: 0, epoch: 0 });
}

export function assertFollows(chain: FrameChain, frame: Frame): void {
  const reason = chain.breach(frame);
  if (reason !== undefined) throw corrupt(chain.point.partition ?? '', frame.firstSeq, reason);
}

export async function readTail({ database, partition }: PartitionPlace): Promise<Frame | undefined> {
  const [row] = await database.query<TailRow>(READ_TAIL, [partition]);
  return row && decode(row.frame, partition, Number(row.last_seq));
}

/** The client gives Buffers, which compare and print differently from the arrays that everything else here has. */
export function decode(given: Uint8Array, partition: string, seq: number): Frame {
  const frame = decodeFrame(new Uint8Array(given.buffer, given.byteOffset, given.length));
  if ('fault' in frame) throw corrupt(partition, seq, `a bad ${frame.fault}`);
  return frame;
}

/** SHA-256 of the first frame; undefined in an empty journal. */
export async function readFirstHash({ database, partition }: PartitionPlace): Promise<string | undefined> {
  const [first] = await database.query<{ hash: Uint8Array }>(READ_FIRST_HASH, [partition]);
  return first && toHex(first.hash);
}

export async function readNewestCheckpoint(
  { database, partition }: PartitionPlace,
  lastSeq: number,
): Promise<CheckpointFound> {
  const [row] = await database.query<{ seq: string; state_hash: string; body: Uint8Array }>(READ_CHECKPOINT, [
    partition,
  ]);
  if (row === undefined) return { checkpoint: undefined, damaged: [] };
  const checkpoint = { seq: Number(row.seq), stateHash: row.state_hash, body: row.body };
  assertNotAhead(checkpoint, lastSeq, 'journal_checkpoints');
  return { checkpoint, damaged: [] };
}

export function regressed(partition: string, acknowledged: number, present: number): JournalCorrupt {
  const reason =
    `records up to sequence ${acknowledged} of ${partition} were acknowledged, but the database ends at ${present}: ` +
    'it was restored or promoted without the last ones';
  return corrupt(partition, present + 1, reason);
}

export function corrupt(partition: string, expectedSeq: number, reason: string): JournalCorrupt {
  return new JournalCorrupt({ file: `journal_frames of ${partition}`, offset: 0, expectedSeq, reason });
}

export function toHex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}
