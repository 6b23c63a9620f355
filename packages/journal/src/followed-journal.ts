// Follows a partition that another process writes: reads it as it grows and checks each new frame against the previous
// one.

import { ChainedPartition } from './body.ts';
import type { Frame } from './frame.ts';
import { FrameChain } from './frame-chain.ts';
import { assertFollows } from './frame-pages.ts';
import type { CheckpointFound, FrameListener, JournalReader, MemoryFound } from './journal.ts';

/** The last frame seen; zeros before the first. */
export interface SeenFrame {
  readonly lastSeq: number;
  readonly headHash: string;
}

/** A source of the frames of a partition that another process writes. Everything that it returns is durable. */
export interface FollowedSource {
  readonly partition: string;
  /** The oldest kept sequence, as of the last answer. */
  readonly firstSeq: number;
  /** The newest frame; undefined in an empty partition. */
  readTail(): Promise<Frame | undefined>;
  /** SHA-256 of the very first frame, hexadecimal; undefined in an empty partition. */
  readIdentity(): Promise<string | undefined>;
  /** Complete frames in order. */
  readFrames(fromSeq: number, endSeq: number): AsyncGenerator<Frame, void, void>;
  /** Frames after the last one seen. Rejects with `JournalCorrupt` if that one is gone. */
  readNew(seen: SeenFrame): Promise<{ readonly frames: readonly Frame[]; readonly hasMore: boolean }>;
  readCheckpoint(lastSeq: number): Promise<CheckpointFound>;
  /** Absent for sources without memory images. */
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

  /** Starts at the last durable frame; `advance` continues from there. */
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

  /** The current chain, for an owner that continues writing from here. */
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
   * Publishes newly durable frames; resolves with whether there may be more. One call at a time. Rejects with
   * `JournalCorrupt` if the last frame seen is gone or another one follows it: then a different server answers, which
   * was restored or promoted without the last frames. Nothing of it is published, and a later call continues once the
   * right server answers again.
   */
  async advance(): Promise<'more' | 'some' | 'none'> {
    // Frames may be offered during the query, which asks for those after the newest at its start.
    const { frames, hasMore } = await this.#source.readNew({ lastSeq: this.lastSeq, headHash: this.headHash });
    for (const frame of frames) if (frame.lastSeq > this.lastSeq) this.#show(frame);
    if (hasMore) return 'more';
    return frames.length > 0 ? 'some' : 'none';
  }

  /** Publishes a frame that the owner sent as durable, if it is the next one; returns whether it is published by now. */
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
