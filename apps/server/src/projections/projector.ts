// Follows one partition of the journal and keeps the view in PostgreSQL current, retrying through every failure of the database.
import { backoffMs, SeqWaiters, SerialQueue, sleep } from '@presage/runtime';
import type { DurableBatch } from '../host/partition-log.ts';
import { BatchFeed, type FeedLimits, type ViewSource } from './batch-feed.ts';
import type { FoldPace } from './fold-turns.ts';
import { ViewRefused, ViewVoid } from './view-refusals.ts';

export interface ProjectorProgress {
  readonly cursor: number;
  /** End of the journal when catching up began. */
  readonly target: number;
}

/** Tables that are a function of one partition, with the sequence read so far. */
export interface ViewTarget {
  /** Returns the last sequence that the tables show. */
  open(): Promise<number>;
  /** Folds records into row changes. While catching up the previous chunk may still be in flight. */
  prepare(batches: readonly DurableBatch[], pace: FoldPace): Promise<WriteChunk>;
  /** Prepares the written rows for readers; called at the end of the journal. */
  complete(): Promise<void>;
  analyze(): Promise<void>;
  /** Whether statistics exist, however old. */
  isAnalyzed(): Promise<boolean>;
}

/** Writes rows and cursor atomically; called when all earlier chunks are written. */
export type WriteChunk = () => Promise<void>;

export interface ProjectorOptions {
  readonly source: ViewSource;
  readonly target: ViewTarget;
  /** Called after each transaction while catching up. */
  readonly onProgress?: (progress: ProjectorProgress) => void;
  /** Called when a database statement failed and will be retried. */
  readonly onTrouble?: (error: unknown) => void;
  readonly limits?: Partial<FeedLimits>;
}

/**
 * Waiting records take about 20 MB; beyond that they are read back from the journal. Transactions are large so that
 * most trades are matched, sent and confirmed within one while catching up, and are written once: with 30,000 records
 * PostgreSQL takes two thirds of the time per record that it takes with 10,000, and with 60,000 no less. Once caught
 * up, records gather for a moment that no reader notices, since a read ends it: under load that halves the database's
 * time per order, and per trade more.
 */
const LIMITS: FeedLimits = {
  maxWaiting: 20_000,
  maxChunk: 30_000,
  gatherMs: 250,
  gatherRecords: 1_000,
};
/** Readers wait for a database that has recovered, so the pause between retries is at most a second. */
const PAUSE = { firstMs: 50, longestMs: 1_000 };
/** Statistics are renewed at this sequence and each time it has doubled, also across restarts. */
const FIRST_ANALYZE_SEQ = 4_096;

export class Projector {
  readonly #options: ProjectorOptions;
  readonly #feed: BatchFeed;
  readonly #waiters = new SeqWaiters();
  readonly #closing = new AbortController();
  #running: Promise<void> = Promise.resolve();
  readonly #analyses = new SerialQueue();
  #analyzeAt = FIRST_ANALYZE_SEQ;
  /** Sequence that the tables showed when opened. */
  #openedAt = 0;
  #failures = 0;
  #isUp = false;
  /** Whether the tables have been complete for readers since they were opened. */
  #isComplete = false;
  #isVoid = false;
  #isStarting = false;

  constructor(options: ProjectorOptions) {
    this.#options = options;
    this.#feed = new BatchFeed(options.source, { ...LIMITS, ...options.limits });
  }

  /**
   * Resolves when the view has reached the journal's end as of the call; if the database is unreachable, once it has
   * recovered. Rejects if the view is refused before that.
   */
  async start(): Promise<void> {
    const target = this.#options.source.lastSeq;
    this.#isStarting = true;
    this.run();
    await Promise.race([this.#reached(target), this.#running]);
    this.#isStarting = false;
  }

  /** Follows the journal in the background. A refused view is reported as trouble and checked again. */
  run(): void {
    this.#running = this.#run();
  }

  /** The last sequence whose rows are committed. */
  get cursor(): number {
    return Math.max(0, this.#waiters.reached);
  }

  /** Records that are durable but not yet in the view. */
  get lag(): number {
    return this.#options.source.lastSeq - this.cursor;
  }

  /** Whether the last statement to the database succeeded. */
  get isUp(): boolean {
    return this.#isUp;
  }

  /** True once the view shows `seq`; false after `timeoutMs`. */
  waitFor(seq: number, timeoutMs: number): Promise<boolean> {
    if (seq > this.cursor) this.#feed.hurry();
    return this.#waiters.wait(seq, timeoutMs);
  }

  /** The tables were rebuilt or lost behind this projector: the cursor is read again before anything is shown. */
  reopen(): void {
    this.#isVoid = true;
    this.#waiters.reached = -1;
    this.#feed.wake();
  }

  /** Waits for the transaction in flight. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#feed.close();
    // `start` has already rejected with the failure.
    await this.#running.catch(() => undefined);
    await this.#analyses.idle();
    this.#waiters.giveUp();
  }

  async #run(): Promise<void> {
    while (!this.#closing.signal.aborted) {
      try {
        await this.#follow();
      } catch (error) {
        this.#isUp = false;
        if (error instanceof ViewRefused && this.#isStarting) throw error;
        if (error instanceof ViewVoid) this.#waiters.reached = -1;
        this.#options.onTrouble?.(error);
        await sleep(backoffMs(PAUSE, this.#failures++), this.#closing.signal).catch(() => undefined);
      }
    }
  }

  /**
   * The cursor is trusted only until something fails: after a lost connection it is unknown whether a commit was done.
   */
  async #follow(): Promise<void> {
    this.#isVoid = false;
    this.#isComplete = false;
    const cursor = await this.#options.target.open();
    this.#openedAt = cursor;
    this.#analyzeAt = FIRST_ANALYZE_SEQ;
    const target = this.#options.source.lastSeq;
    if (cursor >= target) await this.#complete();
    this.#waiters.reached = cursor;
    this.#isUp = true;
    while (!this.#closing.signal.aborted && !this.#isVoid) {
      await this.#drain(target);
      if (!this.#isVoid) await this.#gather();
    }
  }

  /** Waits for a record, and for others to share its transaction unless a reader waits. */
  async #gather(): Promise<void> {
    await this.#feed.arrival(this.cursor + 1);
    if (this.#waiters.isEmpty) await this.#feed.gathered();
  }

  /** While catching up, reads, decodes and folds the next chunk while the database writes the previous one. */
  async #drain(target: number): Promise<void> {
    const chunks = this.#feed.chunks(this.cursor + 1);
    let writing = Promise.resolve();
    try {
      let coming = chunks.next();
      for (let { value: chunk } = await coming; chunk !== undefined; { value: chunk } = await coming) {
        coming = chunks.next();
        // Awaited above; until then a failure must not count as unhandled.
        coming.catch(() => undefined);
        const { lastSeq } = chunk.at(-1)!;
        const pace = { isCatchingUp: lastSeq < target, isAwaited: () => !this.#waiters.isEmpty };
        const write = await this.#options.target.prepare(chunk, pace);
        await writing;
        if (this.#closing.signal.aborted || this.#isVoid) return;
        writing = this.#write(write, lastSeq, target);
        writing.catch(() => undefined);
        // Once caught up, transactions are small and do not overlap, so that a reader waits for as few as possible.
        if (lastSeq >= target) await writing;
      }
      await writing;
    } finally {
      // The cursor may be read again only when nothing moves it any more.
      await writing.catch(() => undefined);
      await chunks.return().catch(() => undefined);
    }
  }

  async #write(write: WriteChunk, lastSeq: number, target: number): Promise<void> {
    await write();
    if (lastSeq >= target) await this.#complete();
    this.#isUp = true;
    this.#failures = 0;
    this.#waiters.reached = lastSeq;
    if (lastSeq <= target) this.#options.onProgress?.({ cursor: lastSeq, target });
    // While catching up, plans use indexes whatever the statistics say, and nobody reads.
    if (lastSeq >= Math.max(target, this.#analyzeAt)) this.#analyze(lastSeq);
  }

  async #complete(): Promise<void> {
    if (this.#isComplete) return;
    await this.#options.target.complete();
    this.#isComplete = true;
  }

  /** Runs beside the projection: readers must not wait for it. */
  #analyze(seq: number): void {
    const { target } = this.#options;
    const isDue = seq >= nextAnalysis(this.#openedAt);
    this.#analyzeAt = nextAnalysis(seq);
    this.#analyses
      .run(async () => {
        // At a start, the statistics of the previous process are good enough.
        if (isDue || !(await target.isAnalyzed())) await target.analyze();
      })
      .catch((error: unknown) => this.#options.onTrouble?.(error));
  }

  async #reached(target: number): Promise<void> {
    while (!this.#closing.signal.aborted && !(await this.waitFor(target, PAUSE.longestMs)));
  }
}

/** The first sequence after the given one at which statistics are renewed. */
function nextAnalysis(seq: number): number {
  let next = FIRST_ANALYZE_SEQ;
  while (next <= seq) next *= 2;
  return next;
}
