// Frames of a partition, fetched from its owner by a follower that shares no database with it.
import {
  type CheckpointFound,
  ConnectionLost,
  type FollowedSource,
  type Frame,
  type KeptStates,
  type MemoryFound,
  RecordsDeleted,
  readPages,
  type SeenFrame,
} from '@presage/journal';
import { NotOwner, OutcomeUnknown } from './link-messages.ts';
import type { PartitionEnds, ReadCall } from './ports.ts';

export interface OwnerFramesOptions {
  readonly partition: string;
  /** Asks the owner once, without retries. */
  readonly ask: (method: string, body: object) => Promise<unknown>;
  /** Reads state files of the owner's data directory, on the same machine; they are too large for the link. */
  readonly states: KeptStates;
}

export class OwnerFrames implements FollowedSource {
  readonly partition: string;
  readonly #options: OwnerFramesOptions;
  #firstSeq = 1;
  #isWritable = true;

  constructor(options: OwnerFramesOptions) {
    this.partition = options.partition;
    this.#options = options;
  }

  get firstSeq(): number {
    return this.#firstSeq;
  }

  /** Whether the owner could append to the partition when last asked. */
  get isWritable(): boolean {
    return this.#isWritable;
  }

  async readTail(): Promise<Frame | undefined> {
    const { lastSeq } = await this.#readEnds();
    return lastSeq === 0 ? undefined : (await this.#readPage(lastSeq))[0];
  }

  async readIdentity(): Promise<string | undefined> {
    return (await this.#readEnds()).identity;
  }

  async *readFrames(fromSeq: number, endSeq: number): AsyncGenerator<Frame, void, void> {
    if (fromSeq > endSeq) return;
    const { partition } = this;
    if (fromSeq < this.#firstSeq) throw new RecordsDeleted(partition, this.#firstSeq);
    yield* readPages({ partition, fromSeq, endSeq, readPage: (next) => this.#readKept(next) });
  }

  /** Reads a page. The owner may have deleted its records since it was last asked where they begin. */
  async #readKept(fromSeq: number): Promise<readonly Frame[]> {
    try {
      return await this.#readPage(fromSeq);
    } catch (error) {
      if (fromSeq < (await this.#readEnds()).firstSeq) throw new RecordsDeleted(this.partition, this.#firstSeq);
      throw error;
    }
  }

  /** Reads frames after the seen one. The owner never revokes durable frames and ends before another node may write, so only the hash chain is compared. */
  async readNew({ lastSeq }: SeenFrame): Promise<{ frames: readonly Frame[]; hasMore: boolean }> {
    const { lastSeq: end } = await this.#readEnds();
    if (end <= lastSeq) return { frames: [], hasMore: false };
    const frames = await this.#readPage(lastSeq + 1);
    return { frames, hasMore: (frames.at(-1)?.lastSeq ?? 0) < end };
  }

  readCheckpoint(lastSeq: number): Promise<CheckpointFound> {
    return this.#options.states.readCheckpoint(lastSeq);
  }

  readMemory(lastSeq: number): Promise<MemoryFound | undefined> {
    return this.#options.states.readMemory(lastSeq);
  }

  async #readEnds(): Promise<PartitionEnds> {
    const ends = await this.#ask<PartitionEnds>('describe-partition', { partition: this.partition });
    this.#firstSeq = ends.firstSeq;
    this.#isWritable = ends.isWritable;
    return ends;
  }

  #readPage(fromSeq: number): Promise<readonly Frame[]> {
    const call: ReadCall = { partition: this.partition, fromSeq };
    return this.#ask<readonly Frame[]>('read-frames', call);
  }

  /** Maps an unreachable owner to `ConnectionLost`, so that the call is retried as with a database that does not answer. */
  async #ask<T>(method: string, body: object): Promise<T> {
    try {
      // The handler of this name on the owner, of the same program version, returns this type.
      return (await this.#options.ask(method, body)) as T;
    } catch (error) {
      throw error instanceof OutcomeUnknown || error instanceof NotOwner ? new ConnectionLost(error) : error;
    }
  }
}
