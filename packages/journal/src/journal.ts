// The one interface that every body of the journal keeps: memory, files and PostgreSQL.
import type { Frame } from './frame.ts';

/** One durable frame without its records: what a receipt is about. All that were written in one frame share one object. */
export interface FrameSeal {
  readonly partition: string;
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly timeMs: number;
  /** SHA-256 of the frame as stored. */
  readonly hash: Uint8Array;
  /** The operator's signature of the frame, if the node that owns the partition made it. */
  readonly signature?: Uint8Array | undefined;
}

export interface FrameRef {
  readonly firstSeq: number;
  readonly lastSeq: number;
  /** The frame's time: the one asked for, or that of the frame before when the clock went backwards. */
  readonly timeMs: number;
  /** The whole frame that they are part of. */
  readonly frame: FrameSeal;
}

export type FrameListener = (frame: Frame) => void;

export interface Checkpoint {
  /** The last sequence whose effects the body contains. */
  readonly seq: number;
  /** SHA-256 of the state, 64 lower-case hexadecimal digits; the journal keeps it for the host to compare. */
  readonly stateHash: string;
  readonly body: Uint8Array;
}

export interface CheckpointFound {
  /** The newest whole checkpoint, or undefined: replay from sequence 1. */
  readonly checkpoint: Checkpoint | undefined;
  /** What was passed over on the way to it, for the operator's log. */
  readonly damaged: readonly string[];
}

/** The state of one moment as the memory of the program that wrote it: quicker to read than a checkpoint, and of use to that version only. */
export interface MemoryImage {
  /** The last sequence whose effects it contains. */
  readonly seq: number;
  /** What of it means nothing may change while it is written. */
  readonly parts: readonly Uint8Array[];
}

export interface JournalReader {
  readonly partition: string;
  /** The oldest sequence that is kept: 1 unless archived segments were deleted. */
  readonly firstSeq: number;
  /** The last durable sequence; 0 in an empty journal. */
  readonly lastSeq: number;
  /** SHA-256 of the first frame there ever was, hexadecimal; undefined in an empty journal. */
  identity(): Promise<string | undefined>;
  /**
   * Durable frames from `fromSeq` to what was the end when the reading began, each checked against the one before.
   * Rejects with `RecordsDeleted` when the first of them is no longer kept.
   * The first is trimmed to begin at `fromSeq` when that lies inside a frame.
   */
  read(fromSeq: number): AsyncIterable<Frame>;
  /** The same with the first one whole, so that each can be encoded again to the very bytes that were hashed. */
  readWhole(fromSeq: number): AsyncIterable<Frame>;
  /**
   * Calls `listener` with every frame that becomes durable from now on, in order, before the append of that frame resolves.
   * A listener that throws has missed history, so it poisons the journal. Returns how to stop.
   */
  subscribe(listener: FrameListener): () => void;
}

/** What is found in the place of a checkpoint. */
export interface MemoryFound extends MemoryImage {
  /** Sequence of the newest checkpoint, which is not after the image; 0 without one. */
  readonly checkpointSeq: number;
}

export interface Journal extends JournalReader {
  /** Grows with each owner of the partition; every frame carries it. */
  readonly epoch: number;
  /** SHA-256 of the last durable frame, hexadecimal; 64 zeros in an empty journal. */
  readonly headHash: string;
  /**
   * Makes the records durable as one frame: all or none. One frame in flight at most: a second call before the first has
   * settled rejects with `JournalMisuse` (use `GroupCommit`). What a rejection means:
   * `RangeError` and `JournalMisuse`: not written, the journal is unharmed.
   * `JournalFenced`: not written; another owner has taken over, step down.
   * `JournalPoisoned`: unknown, and every later append rejects alike until `reopen`. A body that can find out (PostgreSQL: read the tail,
   * compare hashes) does so before it rejects with this.
   */
  append(records: readonly Uint8Array[], timeMs: number): Promise<FrameRef>;
  /** Rejects with `JournalFenced` where another owner has the partition by now. Absent where there cannot be another. */
  confirm?(): Promise<void>;
  /**
   * The way back from `JournalPoisoned`: a new journal of the same owner that begins after what survived, including the frame
   * in flight if it did. This one is unusable from then on, except that a `reopen` that rejected may be called again.
   * `JournalFenced` and `JournalCorrupt` are final.
   */
  reopen(): Promise<Journal>;
  /** Keeps the newest two. A failure leaves the journal and previous checkpoints unharmed. */
  writeCheckpoint(checkpoint: Checkpoint): Promise<void>;
  /** Rejects with `JournalCorrupt` when a checkpoint is ahead of the journal: then the tail was lost. */
  readCheckpoint(): Promise<CheckpointFound>;
  /** The newest whole image unless a checkpoint is newer; a damaged one is passed over. Rejects like `readCheckpoint`. */
  readMemory?(): Promise<MemoryFound | undefined>;
  /** Keeps the newest, beside the checkpoints; absent where no images are kept. A failure harms nothing. */
  writeMemory?(image: MemoryImage): Promise<void>;
  /** Waits for the frame in flight, then gives the partition up. */
  close(): Promise<void>;
}
