// The interface of the journal, which memory, files and PostgreSQL implement.
import type { Frame } from './frame.ts';

/** One durable frame without its records: the subject of a receipt. All pushes of a frame share one object. */
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
  /** The frame's time: the requested one, or the previous frame's if the clock went backwards. */
  readonly timeMs: number;
  /** The frame that contains them. */
  readonly frame: FrameSeal;
}

export type FrameListener = (frame: Frame) => void;

export interface Checkpoint {
  /** Last sequence whose effects the body contains. */
  readonly seq: number;
  /** SHA-256 of the state, 64 lower-case hexadecimal digits; stored for the host to compare. */
  readonly stateHash: string;
  readonly body: Uint8Array;
}

export interface CheckpointFound {
  /** The newest undamaged checkpoint; undefined means replay from sequence 1. */
  readonly checkpoint: Checkpoint | undefined;
  /** Checkpoints that were skipped as damaged, for the operator's log. */
  readonly damaged: readonly string[];
}

/** The state at one moment as raw memory of the program: faster to read than a checkpoint, and readable by the same version only. */
export interface MemoryImage {
  /** Last sequence whose effects it contains. */
  readonly seq: number;
  /** Bytes of it that mean nothing may change while it is being written. */
  readonly parts: readonly Uint8Array[];
}

export interface JournalReader {
  readonly partition: string;
  /** The oldest kept sequence: 1 unless archived segments were deleted. */
  readonly firstSeq: number;
  /** The last durable sequence; 0 in an empty journal. */
  readonly lastSeq: number;
  /** SHA-256 of the very first frame, hexadecimal; undefined in an empty journal. */
  identity(): Promise<string | undefined>;
  /**
   * Durable frames from `fromSeq` to the end at the time of the call, each checked against the previous one. Rejects
   * with `RecordsDeleted` if the first of them is no longer kept. The first is trimmed to begin at `fromSeq` if that is
   * inside a frame.
   */
  read(fromSeq: number): AsyncIterable<Frame>;
  /** Like `read` without trimming, so that each frame can be encoded to the bytes that were hashed. */
  readWhole(fromSeq: number): AsyncIterable<Frame>;
  /**
   * Calls `listener` with every frame that becomes durable from now on, in order, before the append of that frame
   * resolves. A listener that throws has missed history, so it poisons the journal. Returns a function that
   * unsubscribes.
   */
  subscribe(listener: FrameListener): () => void;
}

/** A memory image used instead of a checkpoint. */
export interface MemoryFound extends MemoryImage {
  /** Sequence of the newest checkpoint, which is not newer than the image; 0 without one. */
  readonly checkpointSeq: number;
}

export interface Journal extends JournalReader {
  /** Increases with each owner of the partition; every frame carries it. */
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
  /** Rejects with `JournalFenced` if another owner has the partition by now. Absent if there cannot be another. */
  confirm?(): Promise<void>;
  /**
   * The way back from `JournalPoisoned`: a new journal of the same owner that begins after what survived, including the frame
   * in flight if it did. This one is unusable from then on, except that a `reopen` that rejected may be called again.
   * `JournalFenced` and `JournalCorrupt` are final.
   */
  reopen(): Promise<Journal>;
  /** Keeps the newest two. A failure leaves the journal and previous checkpoints unharmed. */
  writeCheckpoint(checkpoint: Checkpoint): Promise<void>;
  /** Rejects with `JournalCorrupt` if a checkpoint is ahead of the journal: then the tail was lost. */
  readCheckpoint(): Promise<CheckpointFound>;
  /** The newest undamaged image unless a checkpoint is newer; damaged ones are skipped. Rejects like `readCheckpoint`. */
  readMemory?(): Promise<MemoryFound | undefined>;
  /**
   * Keeps only the newest, beside the checkpoints; absent if images are not supported. A failure has no consequences.
   */
  writeMemory?(image: MemoryImage): Promise<void>;
  /** Waits for the frame in flight, then releases the partition. */
  close(): Promise<void>;
}
