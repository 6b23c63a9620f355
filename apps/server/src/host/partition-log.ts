// One partition of the journal as records rather than bytes: appended in groups, given to followers once durable.
import type { TradeView } from '@presage/engine';
import {
  type FollowedJournal,
  type Frame,
  type FrameRef,
  type FrameSeal,
  type Journal,
  type MemoryFound,
  type MemoryImage,
  toFrameSeal,
  toHashText,
  trimFrame,
} from '@presage/journal';
import { decodeRecord, isEngineEvent, type JournalRecord } from '@presage/protocol';
import { SeqWaiters } from '@presage/runtime';
import { type Encoded, JournalWriter, type JournalWriterOptions } from './journal-writer.ts';

/** Records that were appended together, or read back as one frame. A follower is shown the events of one command at a time. */
export interface DurableBatch {
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly timeMs: number;
  readonly records: readonly JournalRecord[];
  /** The whole frame that holds the records. */
  readonly frame: FrameSeal;
  /** The trade that failed in this batch, as it was before. Set by the engine that serves reads, which then forgets the trade. */
  failedTrade?: TradeView | undefined;
}

/** `bytes` are the records as written; followers should not keep them. */
export type Follower = (batch: DurableBatch, bytes: readonly Uint8Array[]) => void;

export type PartitionLogOptions = JournalWriterOptions;

/** Options for following a partition that another node owns. */
export interface FollowLogOptions {
  readonly journal: FollowedJournal;
  /** Called when records that were shown are not in the database any more, or cannot be read. */
  readonly onFatal: (error: unknown) => void;
  /** Appends records through the owner; resolves when they are durable there, with the reference of their frame. */
  readonly forward: (records: readonly JournalRecord[]) => Promise<FrameRef>;
}

/** Writer of the partition: writes here, or asks the owner. */
interface LogWriter {
  assertWritable(): void;
  /** Rejects if another node has taken the partition. */
  confirm(): Promise<void>;
  /** Last durable sequence, which may not have been followed here yet. */
  readEnd(): Promise<number>;
  append(records: readonly JournalRecord[], encoded?: Encoded, joins?: boolean): Promise<FrameRef>;
  writeCheckpoint: Journal['writeCheckpoint'];
  writeMemory: (image: MemoryImage) => Promise<void>;
  stopWaiting(): void;
  close(): Promise<void>;
}

type LogSource = Journal | FollowedJournal;

/** Seals that are kept: more frames than become durable while the answer to a command is on its way. */
const SEALS_KEPT = 64;

export class PartitionLog {
  #journal: LogSource;
  #writer: LogWriter;
  readonly #onFatal: (error: unknown) => void;
  #followers: readonly Follower[] = [];
  #reopenedListeners: readonly (() => void)[] = [];
  readonly #frameListeners = new Set<(frame: Frame) => void>();
  /** Callers that wait until every follower has seen a sequence. */
  readonly #shown: SeqWaiters;
  #last: Promise<unknown> = Promise.resolve();
  #identity: string | undefined;
  #head: FrameSeal | undefined;
  /** Seals of the latest followed frames, oldest first. */
  readonly #seals: FrameSeal[] = [];

  private constructor({ journal, toWriter, onFatal }: LogParts, identity: string | undefined, head: Frame | undefined) {
    this.#journal = journal;
    this.#onFatal = onFatal;
    this.#identity = identity;
    this.#head = head && toFrameSeal(head);
    this.#shown = new SeqWaiters(journal.lastSeq);
    this.#writer = toWriter(this);
    this.#publish(journal);
  }

  static async open(options: PartitionLogOptions): Promise<PartitionLog> {
    const { journal, onFatal } = options;
    return PartitionLog.#create({ journal, onFatal, toWriter: (log) => log.#writeHere(options) });
  }

  /** Follows what the owner writes as the journal advances; appends go to the owner first. */
  static async follow({ journal, forward, onFatal }: FollowLogOptions): Promise<PartitionLog> {
    const toWriter = (own: PartitionLog) => own.#writeThere(journal, forward);
    const log = await PartitionLog.#create({ journal, onFatal, toWriter });
    journal.subscribe((frame) => log.#showFrame(frame));
    return log;
  }

  static async #create(parts: LogParts): Promise<PartitionLog> {
    const { journal } = parts;
    return new PartitionLog(parts, await journal.identity(), await readFrame(journal, journal.lastSeq));
  }

  /** Makes this node the owner of the partition that it followed: followers stay subscribed, and records are written here. */
  own(options: PartitionLogOptions): void {
    const { journal } = options;
    if (journal.lastSeq !== this.#shown.reached)
      throw new Error(`${journal.partition} has not been followed to its end`);
    this.#journal = journal;
    this.#publish(journal);
    this.#writer = this.#writeHere(options);
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

  /** Hash of the first frame, which identifies the journal that a view was built from. Undefined while empty. */
  get identity(): string | undefined {
    return this.#identity;
  }

  /** The newest durable frame; undefined while empty. */
  get head(): FrameSeal | undefined {
    return this.#head;
  }

  /** The seal object that followers were shown for the same frame: data of a frame is found by that object. */
  shownSeal(seal: FrameSeal): FrameSeal {
    const { lastSeq, hash } = seal;
    return this.#seals.findLast((each) => each.lastSeq === lastSeq && Buffer.compare(each.hash, hash) === 0) ?? seal;
  }

  /** Throws while nothing can be appended; nothing may be decided then, either. */
  assertWritable(): void {
    this.#writer.assertWritable();
  }

  /** Rejects if another node has taken the partition. To be called before acting on anything beyond its records. */
  confirm(): Promise<void> {
    return this.#writer.confirm();
  }

  /** Reads the last durable sequence; for a followed partition it may be ahead of `lastSeq`. */
  readEnd(): Promise<number> {
    return this.#writer.readEnd();
  }

  /** Hash of the frame that holds the sequence; undefined if this log does not have such a frame, or no longer. */
  async hashAt(seq: number): Promise<string | undefined> {
    if (seq < this.firstSeq || seq > this.lastSeq) return undefined;
    const isInHead = this.#head !== undefined && this.#head.firstSeq <= seq && seq <= this.#head.lastSeq;
    const frame = isInHead ? this.#head : await readFrame(this.#journal, seq);
    return frame && toHashText(frame);
  }

  /**
   * Appends records; resolves when they are durable and every follower has seen them. `encoded` has the bytes of records that were encoded
   * before; with `joins` they go into the frame of those appended just before, in the same turn.
   */
  append(records: readonly JournalRecord[], encoded?: Encoded, joins?: boolean): Promise<FrameRef> {
    const durable = this.#writer.append(records, encoded, joins);
    // The caller gets the failure; `flushed` reports it to those who wait for earlier records.
    durable.catch(() => undefined);
    this.#last = durable;
    return durable;
  }

  /** Calls the listener when the journal was reopened after a failed write: everything decided beyond `lastSeq` is void. */
  onReopened(listener: () => void): void {
    this.#reopenedListeners = [...this.#reopenedListeners, listener];
  }

  /** Whether every follower has seen the sequence within the timeout; an invented one is never reached. */
  reachedWithin(seq: number, timeoutMs: number): Promise<boolean> {
    return this.#shown.wait(seq, timeoutMs);
  }

  /**
   * Resolves when everything appended before is durable, and rejects if that failed: a decision without records of its own (a refusal, a
   * replay) depends on those before it.
   */
  async flushed(): Promise<void> {
    await this.#last;
  }

  /** Resolves when everything appended before is durable or has failed. */
  async settled(): Promise<void> {
    await this.#last.catch(() => undefined);
  }

  async *read(fromSeq: number): AsyncGenerator<DurableBatch> {
    for await (const whole of this.#journal.readWhole(fromSeq)) {
      const { firstSeq, lastSeq, timeMs, records } = trimFrame(whole, fromSeq);
      yield { firstSeq, lastSeq, timeMs, records: records.map(decodeRecord), frame: toFrameSeal(whole) };
    }
  }

  /** Whole frames with the bytes of their records, the first one even if `fromSeq` lies inside it. */
  readFrames(fromSeq: number): AsyncIterable<Frame> {
    return this.#journal.readWhole(fromSeq);
  }

  /** Time of the last durable frame; 0 in an empty journal. */
  get lastTimeMs(): number {
    return this.#head?.timeMs ?? 0;
  }

  /** Followers are called in the order in which they subscribed. */
  subscribe(follower: Follower): () => void {
    this.#followers = [...this.#followers, follower];
    return () => {
      this.#followers = this.#followers.filter((each) => each !== follower);
    };
  }

  /** Calls the listener with each frame as it becomes durable, before its commands are answered. */
  subscribeFrames(listener: (frame: Frame) => void): () => void {
    this.#frameListeners.add(listener);
    return () => void this.#frameListeners.delete(listener);
  }

  readCheckpoint(): ReturnType<Journal['readCheckpoint']> {
    return this.#journal.readCheckpoint();
  }

  writeCheckpoint(checkpoint: Parameters<Journal['writeCheckpoint']>[0]): Promise<void> {
    return this.#writer.writeCheckpoint(checkpoint);
  }

  /** Reads the image of memory; undefined if there is none or the journal keeps none. */
  async readMemory(): Promise<MemoryFound | undefined> {
    return 'readMemory' in this.#journal ? this.#journal.readMemory?.() : undefined;
  }

  writeMemory(image: MemoryImage): Promise<void> {
    return this.#writer.writeMemory(image);
  }

  /** Rejects records that wait for a failed journal, now and later, because this node stops. */
  stopWaiting(): void {
    this.#writer.stopWaiting();
  }

  async close(): Promise<void> {
    await this.#writer.close();
  }

  #publish(journal: LogSource): void {
    journal.subscribe((frame) => {
      for (const listener of this.#frameListeners) listener(frame);
    });
  }

  #writeHere(options: PartitionLogOptions): LogWriter {
    return new JournalWriter(options, {
      show: (ref, records, bytes) => this.#notify(ref, records, bytes),
      showFrame: (frame) => this.#showFrame(frame),
      shownSeq: () => this.#shown.reached,
      onReopened: (journal) => {
        this.#journal = journal;
        this.#publish(journal);
        this.#last = Promise.resolve();
        for (const listener of this.#reopenedListeners) listener();
      },
    });
  }

  #writeThere(journal: FollowedJournal, forward: FollowLogOptions['forward']): LogWriter {
    const append = async (records: readonly JournalRecord[]): Promise<FrameRef> => {
      const ref = await forward(records);
      await this.#shown.wait(ref.lastSeq);
      return ref;
    };
    // Only the owner writes checkpoints.
    const nothing = async () => undefined;
    const readEnd = () => journal.readEnd();
    const idle = { assertWritable: () => undefined, stopWaiting: () => undefined, close: nothing };
    return { ...idle, append, confirm: nothing, writeCheckpoint: nothing, writeMemory: nothing, readEnd };
  }

  /** A frame may hold the events of many commands: each step is shown separately, as on the node that decided it. */
  #showFrame(frame: Frame): void {
    const seal = toFrameSeal(frame);
    this.#seals.push(seal);
    if (this.#seals.length > SEALS_KEPT) this.#seals.shift();
    let firstSeq = frame.firstSeq;
    for (const records of splitSteps(frame.records.map(decodeRecord))) {
      const lastSeq = firstSeq + records.length - 1;
      const at = firstSeq - frame.firstSeq;
      const bytes = frame.records.slice(at, at + records.length);
      this.#notify({ firstSeq, lastSeq, timeMs: frame.timeMs, frame: seal }, records, bytes);
      firstSeq = lastSeq + 1;
    }
  }

  #notify(ref: FrameRef, records: readonly JournalRecord[], bytes: readonly Uint8Array[]): FrameRef {
    if (ref.firstSeq === 1) this.#identity = toHashText(ref.frame);
    this.#head = ref.frame;
    const batch: DurableBatch = { ...ref, records };
    try {
      for (const follower of this.#followers) follower(batch, bytes);
      this.#shown.reached = ref.lastSeq;
    } catch (error) {
      // A follower that missed a batch would show a wrong book for ever: restart and rebuild it instead.
      this.#onFatal(error);
      throw error;
    }
    return ref;
  }
}

interface LogParts extends Pick<FollowLogOptions, 'onFatal'> {
  readonly journal: LogSource;
  readonly toWriter: (log: PartitionLog) => LogWriter;
}

/** Groups engine events by market and step; every other record is a group of its own. */
function* splitSteps(records: readonly JournalRecord[]): Generator<JournalRecord[]> {
  let step: JournalRecord[] = [];
  for (const record of records) {
    const previous = step.at(-1);
    if (previous !== undefined && !isSameStep(previous, record)) {
      yield step;
      step = [];
    }
    step.push(record);
  }
  if (step.length > 0) yield step;
}

function isSameStep(a: JournalRecord, b: JournalRecord): boolean {
  return isEngineEvent(a) && isEngineEvent(b) && a.marketId === b.marketId && a.step === b.step;
}

/** Returns from the loop after one frame, which closes the file. */
async function readFrame(journal: LogSource, seq: number): Promise<Frame | undefined> {
  if (seq === 0) return undefined;
  for await (const frame of journal.readWhole(seq)) return frame;
  return undefined;
}
