// A partition in PostgreSQL that another node writes: read as it grows, each new frame checked against the one before.
import type { Frame } from '../frame.ts';
import { FrameChain, NO_HASH } from '../frame-chain.ts';
import type { CheckpointFound, FrameListener, JournalReader } from '../journal.ts';
import { assertPartitionName } from '../partition.ts';
import { trimFrame } from '../trim-frame.ts';
import { ConnectionLost, type JournalDatabase } from './database.ts';
import {
  assertFollows,
  corrupt,
  decode,
  readFirstHash,
  readFrames,
  readNewestCheckpoint,
  readTail,
  toHex,
} from './frame-reads.ts';
import { createJournalTables } from './lease-table.ts';
import { READ_NEW_FRAMES } from './statements.ts';

export interface FollowedJournalOptions {
  readonly database: JournalDatabase;
  readonly partition: string;
}

interface NewFrameRow {
  readonly last_seq: string;
  readonly hash: Uint8Array;
  /** Null for the frame that was seen last. */
  readonly frame: Uint8Array | null;
}

const FRAMES_AN_ADVANCE = 64;

export class FollowedJournal implements JournalReader {
  readonly #options: FollowedJournalOptions;
  readonly #chain: FrameChain;
  readonly #listeners = new Set<FrameListener>();
  #identity: string | undefined;

  private constructor(options: FollowedJournalOptions, chain: FrameChain) {
    this.#options = options;
    this.#chain = chain;
  }

  /** Starts at the last durable frame; `advance` reads on from there. */
  static async open(options: FollowedJournalOptions): Promise<FollowedJournal> {
    assertPartitionName(options.partition);
    await createJournalTables(options.database);
    const chain = FrameChain.atStart(options.partition);
    const tail = await readTail(options);
    if (tail !== undefined) chain.advance(tail);
    return new FollowedJournal(options, chain);
  }

  get partition(): string {
    return this.#options.partition;
  }

  get firstSeq(): number {
    return 1;
  }

  /** The last sequence that was read. */
  get lastSeq(): number {
    return this.#chain.point.lastSeq;
  }

  get headHash(): string {
    return toHex(this.#chain.point.hash ?? NO_HASH);
  }

  /** Epoch of the owner that wrote the newest frame. */
  get epoch(): number {
    return this.#chain.point.epoch;
  }

  /** Where it stands, for whoever writes on from there. */
  toChain(): FrameChain {
    return new FrameChain(this.#chain.point);
  }

  /** The last sequence that the database holds now, which may be ahead of what has been followed. */
  async readEnd(): Promise<number> {
    return (await readTail(this.#options))?.lastSeq ?? 0;
  }

  async identity(): Promise<string | undefined> {
    this.#identity ??= await readFirstHash(this.#options);
    return this.#identity;
  }

  async *read(fromSeq: number): AsyncGenerator<Frame, void, void> {
    for await (const frame of this.readWhole(fromSeq)) yield trimFrame(frame, fromSeq);
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
    const asked = [partition, this.lastSeq, FRAMES_AN_ADVANCE + 1];
    const rows = await database.query<NewFrameRow>(READ_NEW_FRAMES, asked).catch(toLost);
    const fresh = rows.flatMap(({ frame }) => (frame === null ? [] : [frame]));
    this.#assertKept(rows.find(({ frame }) => frame === null));
    for (const frame of fresh) this.#show(decode(frame, partition, this.#chain.nextSeq));
    if (rows.length > FRAMES_AN_ADVANCE) return 'more';
    return fresh.length > 0 ? 'some' : 'none';
  }

  #assertKept(head: NewFrameRow | undefined): void {
    const { lastSeq, partition } = this;
    const isSame =
      Number(head?.last_seq ?? 0) === lastSeq && (head === undefined || toHex(head.hash) === this.headHash);
    if (isSame) return;
    throw corrupt(partition, lastSeq, `the frame at sequence ${lastSeq} was seen here and is not there any more`);
  }

  #show(frame: Frame): void {
    assertFollows(this.#chain, frame);
    this.#chain.advance(frame);
    for (const listener of this.#listeners) listener(frame);
  }
}

/** Whatever a server answers a look with, the next look may be answered well: a server that lost its tables may have another one beside it. */
function toLost(error: unknown): never {
  throw error instanceof ConnectionLost ? error : new ConnectionLost(error);
}
