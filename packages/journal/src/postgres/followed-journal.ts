// A partition in PostgreSQL that another node writes: read as it grows, each new frame checked against the one before.

import { ChainedPartition } from '../body.ts';
import type { Frame } from '../frame.ts';
import { FrameChain } from '../frame-chain.ts';
import { assertPartitionName } from '../frame-layout.ts';
import type { CheckpointFound, FrameListener, JournalReader } from '../journal.ts';
import { ConnectionLost, createTables } from './database.ts';
import {
  assertFollows,
  corrupt,
  decode,
  type PartitionPlace,
  readFirstHash,
  readFrames,
  readNewestCheckpoint,
  readTail,
  toHex,
} from './frame-reads.ts';
import { READ_NEW_FRAMES, TABLES } from './statements.ts';

interface NewFrameRow {
  readonly last_seq: string;
  readonly hash: Uint8Array;
  /** Null for the frame that was seen last. */
  readonly frame: Uint8Array | null;
}

const FRAMES_AN_ADVANCE = 64;

export class FollowedJournal extends ChainedPartition implements JournalReader {
  readonly firstSeq = 1;
  readonly #options: PartitionPlace;
  readonly #listeners = new Set<FrameListener>();
  #identity: string | undefined;

  private constructor(options: PartitionPlace, chain: FrameChain) {
    super(options.partition, chain);
    this.#options = options;
  }

  /** Starts at the last durable frame; `advance` reads on from there. */
  static async open(options: PartitionPlace): Promise<FollowedJournal> {
    assertPartitionName(options.partition);
    await createTables(options.database, TABLES);
    const chain = FrameChain.atStart(options.partition);
    const tail = await readTail(options);
    if (tail !== undefined) chain.advance(tail);
    return new FollowedJournal(options, chain);
  }

  /** Epoch of the owner that wrote the newest frame. */
  get epoch(): number {
    return this.chain.point.epoch;
  }

  /** Where it stands, for whoever writes on from there. */
  toChain(): FrameChain {
    return new FrameChain(this.chain.point);
  }

  /** The last sequence that the database holds now, which may be ahead of what has been followed. */
  async readEnd(): Promise<number> {
    return (await readTail(this.#options))?.lastSeq ?? 0;
  }

  async identity(): Promise<string | undefined> {
    this.#identity ??= await readFirstHash(this.#options);
    return this.#identity;
  }

  readWhole(fromSeq: number): AsyncGenerator<Frame, void, void> {
    return readFrames(this.#options, fromSeq, this.lastSeq);
  }

  subscribe(listener: FrameListener): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  readCheckpoint(): Promise<CheckpointFound> {
    return readNewestCheckpoint(this.#options, this.lastSeq);
  }

  /**
   * Shows what became durable since; resolves with whether there may be more. One call at a time. Rejects with `JournalCorrupt`
   * where the database has not the frame that was seen last, or another one after it: another server answers, which was restored
   * or promoted without the last frames. Nothing of it is shown, and a later call continues once the right server answers again.
   */
  async advance(): Promise<'more' | 'some' | 'none'> {
    const { database, partition } = this.#options;
    // Frames may be offered while the database looks: it is asked about what was the newest before.
    const seen = { lastSeq: this.lastSeq, headHash: this.headHash };
    const asked = [partition, seen.lastSeq, FRAMES_AN_ADVANCE + 1];
    const rows = await database.query<NewFrameRow>(READ_NEW_FRAMES, asked).catch(toLost);
    const fresh = rows.flatMap(({ frame }) => (frame === null ? [] : [decode(frame, partition, this.chain.nextSeq)]));
    this.#assertKept(
      rows.find(({ frame }) => frame === null),
      seen,
    );
    for (const frame of fresh) if (frame.lastSeq > this.lastSeq) this.#show(frame);
    if (rows.length > FRAMES_AN_ADVANCE) return 'more';
    return fresh.length > 0 ? 'some' : 'none';
  }

  /** Shows a frame that the owner sent because it is durable, if it is the next one; whether it has been shown by now. */
  offer(frame: Frame): boolean {
    if (frame.lastSeq <= this.lastSeq) return true;
    if (this.chain.breach(frame) !== undefined) return false;
    this.#show(frame);
    return true;
  }

  #assertKept(head: NewFrameRow | undefined, { lastSeq, headHash }: Pick<this, 'lastSeq' | 'headHash'>): void {
    const isSame = Number(head?.last_seq ?? 0) === lastSeq && (head === undefined || toHex(head.hash) === headHash);
    if (isSame) return;
    throw corrupt(this.partition, lastSeq, `the frame at sequence ${lastSeq} was seen here and is not there any more`);
  }

  #show(frame: Frame): void {
    assertFollows(this.chain, frame);
    this.chain.advance(frame);
    for (const listener of this.#listeners) listener(frame);
  }
}

/** Whatever a server answers a look with, the next look may be answered well: a server that lost its tables may have another one beside it. */
function toLost(error: unknown): never {
  throw error instanceof ConnectionLost ? error : new ConnectionLost(error);
}
