// A partition that another process writes: read as it grows, each new frame checked against the one before.

import { ChainedPartition } from './body.ts';
import type { Frame } from './frame.ts';
import { FrameChain } from './frame-chain.ts';
import { assertFollows } from './frame-pages.ts';
import type { CheckpointFound, FrameListener, JournalReader, MemoryFound } from './journal.ts';

/** The frame that was seen last; zeros before the first. */
export interface SeenFrame {
  readonly lastSeq: number;
  readonly headHash: string;
}

/** Where the frames of a partition are read that another process writes. All that it gives is durable. */
export interface FollowedSource {
  readonly partition: string;
  /** The oldest sequence that is kept, as of the last answer. */
  readonly firstSeq: number;
  /** The newest frame; undefined in an empty partition. */
  readTail(): Promise<Frame | undefined>;
  /** SHA-256 of the first frame there ever was, hexadecimal; undefined in an empty partition. */
  readIdentity(): Promise<string | undefined>;
  /** Whole frames in order. */
  readFrames(fromSeq: number, endSeq: number): AsyncGenerator<Frame, void, void>;
  /** Frames behind the one that was seen last. Rejects with `JournalCorrupt` where that one is not there any more. */
  readNew(seen: SeenFrame): Promise<{ readonly frames: readonly Frame[]; readonly hasMore: boolean }>;
  readCheckpoint(lastSeq: number): Promise<CheckpointFound>;
  /** Sources that keep no images of memory lack it. */
  readMemory?(lastSeq: number): Promise<MemoryFound | undefined>;
}

export class FollowedJournal extends ChainedPartition implements JournalReader {
  readonly #source: FollowedSource;
  readonly #listeners = new Set<FrameListener>();
  #identity: string | undefined;

  private constructor(source: FollowedSource, chain: FrameChain) {
    super(source.partition, chain);
    this.#source = source;
  }

  /** Starts at the last durable frame; `advance` reads on from there. */
  static async open(source: FollowedSource): Promise<FollowedJournal> {
    const chain = FrameChain.atStart(source.partition);
    const tail = await source.readTail();
    if (tail !== undefined) chain.advance(tail);
    return new FollowedJournal(source, chain);
  }

  get firstSeq(): number {
    return this.#source.firstSeq;
  }

  /** Epoch of the owner that wrote the newest frame. */
  get epoch(): number {
    return this.chain.point.epoch;
  }

  /** Where it stands, for whoever writes on from there. */
  toChain(): FrameChain {
    return new FrameChain(this.chain.point);
  }

  /** The last durable sequence, which may be ahead of what has been followed. */
  async readEnd(): Promise<number> {
    return (await this.#source.readTail())?.lastSeq ?? 0;
  }

  async identity(): Promise<string | undefined> {
    this.#identity ??= await this.#source.readIdentity();
    return this.#identity;
  }

  readWhole(fromSeq: number): AsyncGenerator<Frame, void, void> {
    return this.#source.readFrames(fromSeq, this.lastSeq);
  }

  subscribe(listener: FrameListener): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  readCheckpoint(): Promise<CheckpointFound> {
    return this.#source.readCheckpoint(this.lastSeq);
  }

  async readMemory(): Promise<MemoryFound | undefined> {
    return this.#source.readMemory?.(this.lastSeq);
  }

  /**
   * Shows what became durable since; resolves with whether there may be more. One call at a time. Rejects with `JournalCorrupt`
   * where the frame that was seen last is gone, or another one stands behind it: another server answers, which was restored
   * or promoted without the last frames. Nothing of it is shown, and a later call continues once the right one answers again.
   */
  async advance(): Promise<'more' | 'some' | 'none'> {
    // Frames may be offered while the source looks: it is asked about what was the newest before.
    const { frames, hasMore } = await this.#source.readNew({ lastSeq: this.lastSeq, headHash: this.headHash });
    for (const frame of frames) if (frame.lastSeq > this.lastSeq) this.#show(frame);
    if (hasMore) return 'more';
    return frames.length > 0 ? 'some' : 'none';
  }

  /** Shows a frame that the owner sent because it is durable, if it is the next one; whether it has been shown by now. */
  offer(frame: Frame): boolean {
    if (frame.lastSeq <= this.lastSeq) return true;
    if (this.chain.breach(frame) !== undefined) return false;
    this.#show(frame);
    return true;
  }

  #show(frame: Frame): void {
    assertFollows(this.chain, frame);
    this.chain.advance(frame);
    for (const listener of this.#listeners) listener(frame);
  }
}
