// The frames of a partition in PostgreSQL, for followers.

import type { FollowedSource, SeenFrame } from '../followed-journal.ts';
import type { Frame } from '../frame.ts';
import { assertPartitionName } from '../frame-layout.ts';
import { misplaced } from '../frame-pages.ts';
import type { CheckpointFound } from '../journal.ts';
import { ConnectionLost, createTables } from './database.ts';
import {
  decode,
  type PartitionPlace,
  readCheckpointUpTo,
  readFirstHash,
  readFrames,
  readTail,
  toHex,
} from './frame-reads.ts';
import { READ_NEW_FRAMES, TABLES } from './statements.ts';

interface NewFrameRow {
  readonly last_seq: string;
  readonly hash: Uint8Array;
  /** Null for the last frame seen. */
  readonly frame: Uint8Array | null;
}

const FRAMES_A_LOOK = 64;

export class PostgresFrames implements FollowedSource {
  readonly partition: string;
  readonly firstSeq = 1;
  readonly #place: PartitionPlace;

  constructor(place: PartitionPlace) {
    assertPartitionName(place.partition);
    this.partition = place.partition;
    this.#place = place;
  }

  async readTail(): Promise<Frame | undefined> {
    await createTables(this.#place.database, TABLES);
    return readTail(this.#place);
  }

  readIdentity(): Promise<string | undefined> {
    return readFirstHash(this.#place);
  }

  readFrames(fromSeq: number, endSeq: number): AsyncGenerator<Frame, void, void> {
    return readFrames(this.#place, fromSeq, endSeq);
  }

  readCheckpoint(lastSeq: number): Promise<CheckpointFound> {
    return readCheckpointUpTo(this.#place, lastSeq);
  }

  async readNew(seen: SeenFrame): Promise<{ frames: readonly Frame[]; hasMore: boolean }> {
    const { database, partition } = this.#place;
    const asked = [partition, seen.lastSeq, FRAMES_A_LOOK + 1];
    const rows = await database.query<NewFrameRow>(READ_NEW_FRAMES, asked).catch(toLost);
    const frames = rows.flatMap(({ frame }) => (frame === null ? [] : [decode(frame, partition, seen.lastSeq + 1)]));
    this.#assertKept(
      rows.find(({ frame }) => frame === null),
      seen,
    );
    return { frames, hasMore: rows.length > FRAMES_A_LOOK };
  }

  #assertKept(head: NewFrameRow | undefined, { lastSeq, headHash }: SeenFrame): void {
    const isSame = Number(head?.last_seq ?? 0) === lastSeq && (head === undefined || toHex(head.hash) === headHash);
    if (isSame) return;
    throw misplaced(
      this.partition,
      lastSeq,
      `the frame at sequence ${lastSeq} was seen here and is not there any more`,
    );
  }
}

/**
 * Every failure of a look counts as a lost connection, because the next look may succeed: a server that lost its tables
 * may have another one beside it.
 */
function toLost(error: unknown): never {
  throw error instanceof ConnectionLost ? error : new ConnectionLost(error);
}
