// Writes the records of one partition into its journal. After a failed write it reopens the journal, retrying without limit.
import {
  type Frame,
  type FrameRef,
  GroupCommit,
  type Journal,
  JournalCorrupt,
  JournalFenced,
  type MemoryImage,
  type PushTarget,
  toFrameSeal,
} from '@presage/journal';
import { encodeRecord, type JournalRecord, PresageError } from '@presage/protocol';
import { backoffMs, sleep } from '@presage/runtime';

/**
 * Handling of records whose write failed.
 * `refuse`: they and everything appended until the journal is reopened reject with `journal_unavailable`. For partitions whose
 * writers decide ahead of the disk: they return to what is durable (`onReopened`) before they decide again.
 * `wait`: they stay in line and are written once the journal is reopened. For writers that do nothing before a record is durable.
 * `give-up`: they reject with the journal's error and the partition is lost here. For partitions that another node can take.
 */
export type AfterFailure = 'refuse' | 'wait' | 'give-up';

export interface JournalWriterOptions {
  readonly journal: Journal;
  readonly nowMs: () => number;
  /** `give-up` by default. */
  readonly afterFailure?: AfterFailure;
  /** Called when the partition cannot be written here any more: another node owns it, or its history is damaged. */
  readonly onFatal: (error: unknown) => void;
  /** Called with how long each group of records took to become durable. */
  readonly onDurable?: ((seconds: number) => void) | undefined;
  /** Called with the error when a write failed, and with undefined when records can be written again. */
  readonly onStopped?: ((error: unknown) => void) | undefined;
}

/** Callbacks of the writer to the log it writes for. */
export interface WrittenLog {
  /** Shows followers records that became durable. */
  show(ref: FrameRef, records: readonly JournalRecord[], bytes: readonly Uint8Array[]): FrameRef;
  /** Shows followers a frame whose write failed and that survived nevertheless. */
  showFrame(frame: Frame): void;
  /** The newest sequence that followers have seen. */
  shownSeq(): number;
  /** Called when the journal was reopened and followers have seen all of it. Nothing is appended before this returns. */
  onReopened(journal: Journal): void;
}

/** Bytes of records that were encoded already, by index. */
export type Encoded = readonly (Uint8Array | undefined)[];

interface PendingParts {
  readonly joins: boolean;
  readonly records: readonly JournalRecord[];
  readonly bytes: readonly Uint8Array[];
  readonly resolve: (ref: FrameRef) => void;
  readonly reject: (error: unknown) => void;
}

/** Records that were appended together, with the callbacks of their caller. */
class Pending implements PushTarget {
  readonly appended: readonly JournalRecord[];
  readonly records: readonly Uint8Array[];
  readonly joins: boolean;
  readonly resolve: (ref: FrameRef) => void;
  readonly reject: (error: unknown) => void;
  startMs = 0;
  readonly #writer: PendingWriter;

  constructor({ records, bytes, joins, resolve, reject }: PendingParts, writer: PendingWriter) {
    this.appended = records;
    this.records = bytes;
    this.joins = joins;
    this.resolve = resolve;
    this.reject = reject;
    this.#writer = writer;
  }

  onDurable(ref: FrameRef): void {
    this.#writer.onDurable(this, ref);
  }

  onFailed(error: unknown): void {
    this.#writer.onFailed(error);
  }
}

interface PendingWriter {
  onDurable(pending: Pending, ref: FrameRef): void;
  onFailed(error: unknown): void;
}

/** The first retry comes soon, since many causes pass at once; later ones are rare, to spare a failing disk or database. */
const RETRY = { firstMs: 100, longestMs: 5_000 };

export class JournalWriter {
  readonly #options: JournalWriterOptions;
  readonly #afterFailure: AfterFailure;
  readonly #log: WrittenLog;
  /** Records appended and not durable yet, oldest first. */
  readonly #pending = new Set<Pending>();
  readonly #closing = new AbortController();
  #journal: Journal;
  #commit: GroupCommit;
  /** Error that stops writes now; undefined while they work. */
  #stopped: unknown;
  /** Nothing will be written here again, so callers must not wait for it. */
  #isLost = false;
  #reopening: Promise<void> | undefined;
  /** Failures since the last record became durable. */
  #failures = 0;
  readonly #settler: PendingWriter = {
    onDurable: (pending, ref) => this.#settle(pending, ref),
    onFailed: (error) => this.#stop(error),
  };

  constructor(options: JournalWriterOptions, log: WrittenLog) {
    this.#options = options;
    this.#afterFailure = options.afterFailure ?? 'give-up';
    this.#log = log;
    this.#journal = options.journal;
    this.#commit = new GroupCommit({ journal: options.journal, now: options.nowMs });
  }

  /** Throws while a record that was appended now would be rejected. */
  assertWritable(): void {
    const isWaiting = this.#afterFailure === 'wait' && !this.#isLost && !this.#closing.signal.aborted;
    if (this.#stopped !== undefined && !isWaiting) throw this.#stopped;
  }

  /** With `joins`, the records go into the frame of those appended just before, in the same turn. */
  append(records: readonly JournalRecord[], encoded: Encoded = [], joins = false): Promise<FrameRef> {
    return new Promise((resolve, reject) => {
      this.assertWritable();
      const bytes = records.map((record, index) => encoded[index] ?? encodeRecord(record));
      const pending = new Pending({ records, bytes, joins, resolve, reject }, this.#settler);
      this.#pending.add(pending);
      if (this.#stopped === undefined) this.#push(pending);
    });
  }

  async confirm(): Promise<void> {
    this.assertWritable();
    await this.#journal.confirm?.();
  }

  async readEnd(): Promise<number> {
    return this.#journal.lastSeq;
  }

  writeCheckpoint(checkpoint: Parameters<Journal['writeCheckpoint']>[0]): Promise<void> {
    return this.#journal.writeCheckpoint(checkpoint);
  }

  async writeMemory(image: MemoryImage): Promise<void> {
    await this.#journal.writeMemory?.(image);
  }

  /** Stops reopening a failed journal and rejects records that wait for it; nobody was told that they are durable. */
  stopWaiting(): void {
    this.#closing.abort();
    if (this.#stopped !== undefined) this.#rejectAll(this.#stopped);
  }

  async close(): Promise<void> {
    this.stopWaiting();
    await this.#reopening;
    await this.#commit.close();
    await this.#journal.close();
  }

  #push(pending: Pending): void {
    pending.startMs = performance.now();
    this.#commit.pushFor(pending);
  }

  #settle(pending: Pending, ref: FrameRef): void {
    this.#pending.delete(pending);
    this.#failures = 0;
    try {
      this.#options.onDurable?.((performance.now() - pending.startMs) / 1_000);
      pending.resolve(this.#log.show(ref, pending.appended, pending.records));
    } catch (error) {
      pending.reject(error);
    }
  }

  /** A failed frame fails everything appended behind it, so only the first rejection is handled. */
  #stop(error: unknown): void {
    if (this.#stopped !== undefined) return;
    if (this.#afterFailure === 'give-up' || error instanceof JournalFenced) this.#lose(error);
    else this.#pause(error);
  }

  #pause(error: unknown): void {
    const { aborted: isClosing } = this.#closing.signal;
    this.#stopped = new PresageError('journal_unavailable', { reason: 'write_failed' });
    if (isClosing || this.#afterFailure === 'refuse') this.#rejectAll(this.#stopped);
    if (isClosing) return;
    this.#options.onStopped?.(error);
    this.#reopening = this.#reopen();
  }

  async #reopen(): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      try {
        await sleep(backoffMs(RETRY, this.#failures++), signal);
        this.#journal = await this.#journal.reopen();
        await this.#showSurvivors();
        return this.#resume();
      } catch (error) {
        if (error instanceof JournalFenced || error instanceof JournalCorrupt) return this.#lose(error);
      }
    }
  }

  async #showSurvivors(): Promise<void> {
    for await (const frame of this.#journal.readWhole(this.#log.shownSeq() + 1)) {
      this.#log.showFrame(frame);
      this.#settleSurvivor(frame);
    }
  }

  /** Resolves the appends whose records survived. Only one frame was in flight, so it holds the oldest. */
  #settleSurvivor({ firstSeq, records, timeMs, ...frame }: Frame): void {
    const seal = toFrameSeal({ firstSeq, records, timeMs, ...frame });
    let at = 0;
    for (const pending of this.#pending) {
      if (at >= records.length) return;
      assertSame(pending.records, records.slice(at, at + pending.records.length));
      this.#pending.delete(pending);
      const first = firstSeq + at;
      at += pending.records.length;
      pending.resolve({ firstSeq: first, lastSeq: firstSeq + at - 1, timeMs, frame: seal });
    }
  }

  #resume(): void {
    this.#commit = new GroupCommit({ journal: this.#journal, now: this.#options.nowMs });
    this.#log.onReopened(this.#journal);
    this.#stopped = undefined;
    this.#options.onStopped?.(undefined);
    for (const pending of this.#pending) this.#push(pending);
  }

  /** Gives the partition up. Waiting clients are told to retry; other nodes, that the partition is lost here. */
  #lose(error: unknown): void {
    this.#isLost = true;
    this.#stopped = this.#afterFailure === 'give-up' ? error : new PresageError('partition_unavailable');
    this.#options.onFatal(error);
    this.#rejectAll(this.#stopped);
  }

  #rejectAll(error: unknown): void {
    const all = [...this.#pending];
    this.#pending.clear();
    for (const { reject } of all) reject(error);
  }
}

function assertSame(appended: readonly Uint8Array[], survived: readonly Uint8Array[]): void {
  const isSame =
    appended.length === survived.length && appended.every((bytes, at) => Buffer.compare(bytes, survived[at]!) === 0);
  if (!isSame) throw new Error('a frame that survived a failed write holds records that were not appended here');
}
