// Hands out the journal in order: from memory if the records still wait there, otherwise read back from the journal.
import type { JournalRecord } from '@presage/protocol';
import type { DurableBatch, PartitionLog } from '../host/partition-log.ts';

/** The part of a partition that the view needs. */
export type ViewSource = Pick<
  PartitionLog,
  'partition' | 'firstSeq' | 'lastSeq' | 'identity' | 'readEnd' | 'hashAt' | 'read' | 'subscribe'
>;

export interface FeedLimits {
  /** Records that may wait in memory while the database is slow or unreachable. */
  readonly maxWaiting: number;
  /** Most records per transaction; a single larger batch stays whole. */
  readonly maxChunk: number;
  /** How long records wait for others to share their transaction unless a reader waits, and how many end the wait. */
  readonly gatherMs: number;
  readonly gatherRecords: number;
}

export class BatchFeed {
  readonly #source: ViewSource;
  readonly #limits: FeedLimits;
  readonly #unsubscribe: () => void;
  #waiting: DurableBatch[] = [];
  #waitingRecords = 0;
  #wake: (() => void) | undefined;
  #endGathering: (() => void) | undefined;
  #isClosed = false;

  constructor(source: ViewSource, limits: FeedLimits) {
    this.#source = source;
    this.#limits = limits;
    this.#unsubscribe = source.subscribe((batch) => this.#offer(batch));
  }

  /** All records durable by the end of the iteration, from `fromSeq`, in chunks of one transaction each. */
  async *chunks(fromSeq: number): AsyncGenerator<DurableBatch[], void, void> {
    let nextSeq = fromSeq;
    while (nextSeq <= this.#source.lastSeq) {
      const waiting = this.#takeWaiting(nextSeq);
      if (waiting.length > 0) {
        yield waiting;
        nextSeq = waiting.at(-1)!.lastSeq + 1;
      } else {
        for await (const chunk of this.#readBack(nextSeq)) {
          yield chunk;
          nextSeq = chunk.at(-1)!.lastSeq + 1;
        }
      }
    }
  }

  /** Resolves when `seq` can be handed out, or when the feed is closed. */
  arrival(seq: number): Promise<void> {
    if (this.#isClosed || seq <= this.#source.lastSeq) return Promise.resolve();
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  /** Resolves when enough records wait for a transaction, when they have waited long enough, or at `hurry`. */
  async gathered(): Promise<void> {
    const { gatherMs } = this.#limits;
    if (gatherMs === 0 || this.#isClosed || this.#isEnough) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, gatherMs);
      this.#endGathering = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#endGathering = undefined;
  }

  /** Ends the gathering, because a reader waits. */
  hurry(): void {
    this.#endGathering?.();
  }

  /** Makes callers of `arrival` check again. */
  wake(): void {
    this.#wake?.();
    this.#wake = undefined;
    this.hurry();
  }

  close(): void {
    this.#isClosed = true;
    this.#unsubscribe();
    this.wake();
  }

  /** Evicts the oldest batches first; they are read back from the journal, up to the newer ones still waiting. */
  #offer(batch: DurableBatch): void {
    this.#waiting.push(batch);
    this.#waitingRecords += batch.records.length;
    while (this.#waitingRecords > this.#limits.maxWaiting && this.#waiting.length > 1) this.#shift();
    this.#wake?.();
    this.#wake = undefined;
    if (this.#isEnough) this.hurry();
  }

  get #isEnough(): boolean {
    return this.#waitingRecords >= Math.min(this.#limits.gatherRecords, this.#limits.maxChunk);
  }

  /** Drops batches that were read back meanwhile. */
  #takeWaiting(nextSeq: number): DurableBatch[] {
    while (this.#waiting[0] !== undefined && this.#waiting[0].lastSeq < nextSeq) this.#shift();
    const taken: DurableBatch[] = [];
    let seq = nextSeq;
    let records = 0;
    while (this.#waiting[0] !== undefined && this.#waiting[0].firstSeq <= seq && records < this.#limits.maxChunk) {
      const batch = trimBatch(this.#shift(), seq);
      taken.push(batch);
      records += batch.records.length;
      seq = batch.lastSeq + 1;
    }
    return taken;
  }

  async *#readBack(fromSeq: number): AsyncGenerator<DurableBatch[], void, void> {
    let chunk: DurableBatch[] = [];
    let records = 0;
    for await (const batch of this.#source.read(fromSeq)) {
      chunk.push(batch);
      records += batch.records.length;
      if (records < this.#limits.maxChunk) continue;
      yield chunk;
      chunk = [];
      records = 0;
    }
    if (chunk.length > 0) yield chunk;
  }

  #shift(): DurableBatch {
    const batch = this.#waiting.shift()!;
    this.#waitingRecords -= batch.records.length;
    return batch;
  }
}

function trimBatch(batch: DurableBatch, fromSeq: number): DurableBatch {
  if (batch.firstSeq === fromSeq) return batch;
  const records: readonly JournalRecord[] = batch.records.slice(fromSeq - batch.firstSeq);
  return { ...batch, firstSeq: fromSeq, records };
}
