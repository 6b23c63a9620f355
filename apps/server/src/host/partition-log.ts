// One partition of the journal as records rather than bytes: appended in groups, given to followers once durable.
import { type Frame, type FrameRef, type FrameSeal, GroupCommit, type Journal, toFrameSeal } from '@presage/journal';
import { decodeRecord, encodeRecord, type JournalRecord } from '@presage/protocol';

/** Records that were appended together, or read back as one frame. A follower is shown what one command came to, never more. */
export interface DurableBatch {
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly timeMs: number;
  readonly records: readonly JournalRecord[];
  /** The frame that they stand in, whole; absent of what is read back. */
  readonly frame?: FrameSeal;
}

export type Follower = (batch: DurableBatch) => void;

export interface PartitionLogOptions {
  readonly journal: Journal;
  readonly nowMs: () => number;
  /** A journal that cannot be written ends the process: nothing may be answered from a state that is not durable. */
  readonly onFatal: (error: unknown) => void;
  /** Called with how long each group of records took to become durable. */
  readonly onDurable?: (seconds: number) => void;
}

export class PartitionLog {
  readonly #journal: Journal;
  readonly #commit: GroupCommit;
  readonly #onFatal: (error: unknown) => void;
  readonly #onDurable: ((seconds: number) => void) | undefined;
  #followers: readonly Follower[] = [];
  #last: Promise<unknown> = Promise.resolve();
  #identity: string | undefined;
  #head: FrameSeal | undefined;

  private constructor(options: PartitionLogOptions, identity: string | undefined, head: FrameSeal | undefined) {
    this.#journal = options.journal;
    this.#commit = new GroupCommit({ journal: options.journal, now: options.nowMs });
    this.#onFatal = options.onFatal;
    this.#onDurable = options.onDurable;
    this.#identity = identity;
    this.#head = head;
  }

  static async open(options: PartitionLogOptions): Promise<PartitionLog> {
    const last = await readFrame(options.journal, options.journal.lastSeq);
    return new PartitionLog(options, await options.journal.identity(), last && toFrameSeal(last));
  }

  get partition(): string {
    return this.#journal.partition;
  }

  /** The oldest sequence that is kept. */
  get firstSeq(): number {
    return this.#journal.firstSeq;
  }

  /** The last durable sequence. */
  get lastSeq(): number {
    return this.#journal.lastSeq;
  }

  /** Hash of the first frame: a view that was built from another journal is known by it. Undefined while empty. */
  get identity(): string | undefined {
    return this.#identity;
  }

  /** The newest durable frame; undefined while empty. */
  get head(): FrameSeal | undefined {
    return this.#head;
  }

  /** Resolves when the records are durable and every follower has seen them. */
  append(records: readonly JournalRecord[]): Promise<FrameRef> {
    const startMs = performance.now();
    const durable = this.#commit.push(records.map(encodeRecord)).then(
      (ref) => {
        this.#onDurable?.((performance.now() - startMs) / 1_000);
        return this.#notify(ref, records);
      },
      (error: unknown) => {
        this.#onFatal(error);
        throw error;
      },
    );
    this.#last = durable.catch(() => undefined);
    return durable;
  }

  /** Resolves when everything appended before is durable: a refusal is released behind what it was decided on. */
  async flushed(): Promise<void> {
    await this.#last;
  }

  async *read(fromSeq: number): AsyncGenerator<DurableBatch> {
    for await (const frame of this.#journal.read(fromSeq)) {
      const { firstSeq, lastSeq, timeMs, records } = frame;
      yield { firstSeq, lastSeq, timeMs, records: records.map(decodeRecord) };
    }
  }

  /** Whole frames with the bytes of their records, the first one even where `fromSeq` lies inside of it. */
  readFrames(fromSeq: number): AsyncIterable<Frame> {
    return this.#journal.readWhole(fromSeq);
  }

  /** Time of the last durable frame; 0 in an empty journal. */
  get lastTimeMs(): number {
    return this.#head?.timeMs ?? 0;
  }

  /** Called in the order of subscribing; one that is to be `first` is called before all that are there. */
  subscribe(follower: Follower, place: 'first' | 'last' = 'last'): () => void {
    this.#followers = place === 'first' ? [follower, ...this.#followers] : [...this.#followers, follower];
    return () => {
      this.#followers = this.#followers.filter((each) => each !== follower);
    };
  }

  readCheckpoint(): ReturnType<Journal['readCheckpoint']> {
    return this.#journal.readCheckpoint();
  }

  writeCheckpoint(checkpoint: Parameters<Journal['writeCheckpoint']>[0]): Promise<void> {
    return this.#journal.writeCheckpoint(checkpoint);
  }

  async close(): Promise<void> {
    await this.#commit.close();
    await this.flushed();
    await this.#journal.close();
  }

  #notify(ref: FrameRef, records: readonly JournalRecord[]): FrameRef {
    if (ref.firstSeq === 1) this.#identity = this.#journal.headHash;
    this.#head = ref.frame;
    const batch = { ...ref, records };
    try {
      for (const follower of this.#followers) follower(batch);
    } catch (error) {
      // A follower that missed a batch would show a wrong book for ever: restart and rebuild it instead.
      this.#onFatal(error);
      throw error;
    }
    return ref;
  }
}

/** Leaves the reading again at once, so that its file is closed. */
async function readFrame(journal: Journal, seq: number): Promise<Frame | undefined> {
  if (seq === 0) return undefined;
  for await (const frame of journal.readWhole(seq)) return frame;
  return undefined;
}
