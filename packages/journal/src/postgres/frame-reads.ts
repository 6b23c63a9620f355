// Reads and checks frames and checkpoints of a partition in PostgreSQL, for its owner and its followers.
import { assertNotAhead } from '../body.ts';
import type { JournalCorrupt } from '../errors.ts';
import { decodeFrame, type Frame } from '../frame.ts';
import { misplaced, readPages } from '../frame-pages.ts';
import type { CheckpointFound } from '../journal.ts';
import type { JournalDatabase } from './database.ts';
import { READ_CHECKPOINT, READ_CHECKPOINT_UP_TO, READ_FIRST_HASH, READ_FRAMES, READ_TAIL } from './statements.ts';

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

/** Reads page by page, and checks each frame against the previous one. */
export function readFrames(
  { database, partition }: PartitionPlace,
  fromSeq: number,
  endSeq: number,
): AsyncGenerator<Frame, void, void> {
  const readPage = async (next: number) => {
    const rows = await database.query<{ frame: Uint8Array }>(READ_FRAMES, [partition, next, endSeq, FRAMES_A_READ]);
    if (rows.length === 0) throw regressed(partition, endSeq, next - 1);
    return rows.map((row) => decode(row.frame, partition, next));
  };
  return readPages({ partition, fromSeq, endSeq, readPage });
}

export async function readTail({ database, partition }: PartitionPlace): Promise<Frame | undefined> {
  const [row] = await database.query<TailRow>(READ_TAIL, [partition]);
  return row && decode(row.frame, partition, Number(row.last_seq));
}

/** Converts the client's Buffers, which compare and print differently from the arrays used everywhere else. */
export function decode(given: Uint8Array, partition: string, seq: number): Frame {
  const frame = decodeFrame(new Uint8Array(given.buffer, given.byteOffset, given.length));
  if ('fault' in frame) throw misplaced(partition, seq, `a bad ${frame.fault}`);
  return frame;
}

/** SHA-256 of the first frame; undefined in an empty journal. */
export async function readFirstHash({ database, partition }: PartitionPlace): Promise<string | undefined> {
  const [first] = await database.query<{ hash: Uint8Array }>(READ_FIRST_HASH, [partition]);
  return first && toHex(first.hash);
}

interface CheckpointRow {
  readonly seq: string;
  readonly state_hash: string;
  readonly body: Uint8Array;
}

/** For the owner: a checkpoint ahead of the journal is a fault. */
export async function readNewestCheckpoint(
  { database, partition }: PartitionPlace,
  lastSeq: number,
): Promise<CheckpointFound> {
  const [row] = await database.query<CheckpointRow>(READ_CHECKPOINT, [partition]);
  const found = toCheckpointFound(row);
  if (found.checkpoint !== undefined) assertNotAhead(found.checkpoint, lastSeq, 'journal_checkpoints');
  return found;
}

/** For a follower: the owner may have written more, and a checkpoint, since the end was read. */
export async function readCheckpointUpTo(
  { database, partition }: PartitionPlace,
  lastSeq: number,
): Promise<CheckpointFound> {
  const [row] = await database.query<CheckpointRow>(READ_CHECKPOINT_UP_TO, [partition, lastSeq]);
  return toCheckpointFound(row);
}

function toCheckpointFound(row: CheckpointRow | undefined): CheckpointFound {
  if (row === undefined) return { checkpoint: undefined, damaged: [] };
  return { checkpoint: { seq: Number(row.seq), stateHash: row.state_hash, body: row.body }, damaged: [] };
}

export function regressed(partition: string, acknowledged: number, present: number): JournalCorrupt {
  const reason =
    `records up to sequence ${acknowledged} of ${partition} were acknowledged, but the database ends at ${present}: ` +
    'it was restored or promoted without the last ones';
  return misplaced(partition, present + 1, reason);
}

export function toHex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}
