// Appends of all partitions that a node owns in one database: concurrent ones share one statement and one commit.
import { ConnectionLost, type JournalDatabase } from './database.ts';
import { APPEND } from './statements.ts';

/** One frame, and the conditions of its partition for writing it. */
export interface FrameRow {
  readonly partition: string;
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly epoch: number;
  readonly hash: Uint8Array;
  readonly bytes: Uint8Array;
  /** Holder of the lease. */
  readonly owner: string;
  /** Hash of the newest frame in the table; null in an empty journal. */
  readonly previous: Uint8Array | null;
}

interface Due {
  readonly row: FrameRow;
  readonly resolve: (isWritten: boolean) => void;
  readonly reject: (error: unknown) => void;
}

/** A statement that is unanswered for longer delays only its own partitions: the others use another connection. */
const SILENT_MS = 1_000;
/** Most unanswered statements: other connections are reserved for renewing leases. */
const MOST_SILENT = 2;

const queues = new WeakMap<JournalDatabase, AppendQueue>();

export class AppendQueue {
  readonly #database: JournalDatabase;
  #due: Due[] = [];
  /** True while a statement is expected to be answered soon, or is about to be sent. */
  #isBusy = false;
  /** Number of statements unanswered for longer than `SILENT_MS`. */
  #silent = 0;

  private constructor(database: JournalDatabase) {
    this.#database = database;
  }

  /** The queue of this database. */
  static of(database: JournalDatabase): AppendQueue {
    const known = queues.get(database) ?? new AppendQueue(database);
    queues.set(database, known);
    return known;
  }

  /**
   * Resolves with whether the frame was written: not if the lease is another owner's, or the newest frame is a
   * different one. Each partition is judged separately. Rejects as the statement did; its outcome is then unknown.
   */
  append(row: FrameRow): Promise<boolean> {
    return new Promise((resolve, reject) => {
      this.#due.push({ row, resolve, reject });
      this.#begin();
    });
  }

  #begin(): void {
    if (this.#isBusy || this.#silent >= MOST_SILENT) return;
    this.#isBusy = true;
    // Frames of other partitions may be sealed in this turn, too.
    setImmediate(() => void this.#write());
  }

  async #write(): Promise<void> {
    const due = this.#due;
    this.#due = [];
    let isSilent = false;
    const silent = setTimeout(() => {
      isSilent = true;
      this.#silent++;
      this.#next();
    }, SILENT_MS);
    await this.#insert(due);
    clearTimeout(silent);
    if (isSilent) return this.#onAnsweredLate();
    // Waits for the coming turn, in which partitions that were just answered seal their next frames.
    setImmediate(() => setImmediate(() => this.#next()));
  }

  async #insert(due: readonly Due[]): Promise<void> {
    try {
      const rows = await this.#database.query<{ part: string }>(APPEND, toColumns(due.map(({ row }) => row)));
      const written = new Set(rows.map(({ part }) => part));
      for (const { row, resolve } of due) resolve(written.has(row.partition));
    } catch (error) {
      // A refused statement wrote nothing. With several frames the refusal may concern only one, so each is sent separately.
      if (due.length > 1 && !(error instanceof ConnectionLost)) for (const each of due) await this.#insert([each]);
      else for (const { reject } of due) reject(error);
    }
  }

  #onAnsweredLate(): void {
    this.#silent--;
    if (this.#due.length > 0) this.#begin();
  }

  #next(): void {
    if (this.#due.length > 0 && this.#silent < MOST_SILENT) void this.#write();
    else this.#isBusy = false;
  }
}

/** One array per column. A partition has at most one frame in flight, so it occurs once. */
function toColumns(rows: readonly FrameRow[]): unknown[][] {
  return [
    rows.map(({ partition }) => partition),
    rows.map(({ firstSeq }) => firstSeq),
    rows.map(({ lastSeq }) => lastSeq),
    rows.map(({ epoch }) => epoch),
    rows.map(({ hash }) => hash),
    rows.map(({ bytes }) => bytes),
    rows.map(({ owner }) => owner),
    rows.map(({ previous }) => previous),
  ];
}
