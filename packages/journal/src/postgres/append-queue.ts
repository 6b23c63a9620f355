// Appends of all partitions that a node owns in one database: those that are due at the same time go in one statement, with one commit.
import { ConnectionLost, type JournalDatabase } from './database.ts';
import { APPEND } from './statements.ts';

/** One frame, and what must be true of its partition for it to be written. */
export interface FrameRow {
  readonly partition: string;
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly epoch: number;
  readonly hash: Uint8Array;
  readonly bytes: Uint8Array;
  /** Who has the lease. */
  readonly owner: string;
  /** Hash of the newest frame that is there; null in an empty journal. */
  readonly previous: Uint8Array | null;
}

interface Due {
  readonly row: FrameRow;
  readonly resolve: (isWritten: boolean) => void;
  readonly reject: (error: unknown) => void;
}

/** A statement that is silent for longer keeps only its own partitions waiting: the others send theirs over another connection. */
const SILENT_MS = 1_000;
/** Silent statements at the same time: connections are left for the renewal of leases. */
const MOST_SILENT = 2;

const queues = new WeakMap<JournalDatabase, AppendQueue>();

export class AppendQueue {
  readonly #database: JournalDatabase;
  #due: Due[] = [];
  /** A statement is under way that is expected to be answered soon, or is about to be sent. */
  #isBusy = false;
  /** Statements that have not been answered for longer than `SILENT_MS`. */
  #silent = 0;

  private constructor(database: JournalDatabase) {
    this.#database = database;
  }

  /** The one of this database. */
  static of(database: JournalDatabase): AppendQueue {
    const known = queues.get(database) ?? new AppendQueue(database);
    queues.set(database, known);
    return known;
  }

  /**
   * Resolves with whether it was written: not where the lease is another's, or the newest frame another one. Each partition is judged
   * by itself. Rejects as the statement did, which nobody knows the outcome of then.
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
    // Frames of other partitions are sealed in this turn, too.
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
    // Partitions that were just answered seal their next frames in the coming turn: it is waited for.
    setImmediate(() => setImmediate(() => this.#next()));
  }

  async #insert(due: readonly Due[]): Promise<void> {
    try {
      const rows = await this.#database.query<{ part: string }>(APPEND, toColumns(due.map(({ row }) => row)));
      const written = new Set(rows.map(({ part }) => part));
      for (const { row, resolve } of due) resolve(written.has(row.partition));
    } catch (error) {
      // A statement that the server refused wrote nothing: of several frames it may be about one, and the others go by themselves.
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

/** One array for each column. A partition has one frame in flight, so it is there once. */
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
