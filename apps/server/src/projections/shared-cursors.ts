// Cursors of a view that another node writes, read from the database while somebody waits for them.
import { sleep } from '@presage/runtime';
import type { Sql } from '../store/column-types.ts';
import type { ViewSource } from './batch-feed.ts';
import { isMissingTable } from './table-watch.ts';

/** Pause between two reads while somebody waits. */
const LOOK_AGAIN_MS = 5;

export class SharedCursors {
  readonly #sql: Sql;
  readonly #sources: readonly ViewSource[];
  /** Version of the tables that this program can read. */
  readonly #version: string;
  #known: readonly number[];
  /** Cursors in the tables, even if these are of another version or journal. */
  #recorded: readonly number[];
  #isOurs = true;
  #looking: Promise<void> | undefined;
  #isUp = false;

  constructor(sql: Sql, sources: readonly ViewSource[], version: string) {
    this.#sql = sql;
    this.#sources = sources;
    this.#version = version;
    this.#known = sources.map(() => 0);
    this.#recorded = this.#known;
  }

  /** Cursors of the last read; 0 if the tables are unreadable for this program. */
  get cursors(): readonly number[] {
    return this.#known;
  }

  /** Whether the database answered the last read. */
  get isUp(): boolean {
    return this.#isUp;
  }

  /** Whether no table names another journal. */
  get isOurs(): boolean {
    return this.#isOurs;
  }

  /** Whether the view shows records that are in the journal but that this node has not followed yet. */
  async isAhead(): Promise<boolean> {
    for (const [index, source] of this.#sources.entries()) {
      const cursor = this.#recorded[index]!;
      if (cursor > source.lastSeq && (await source.readEnd()) >= cursor) return true;
    }
    return false;
  }

  async waitFor(seqs: readonly number[], timeoutMs: number): Promise<boolean> {
    const deadlineMs = performance.now() + timeoutMs;
    while (!this.#hasReached(seqs)) {
      const leftMs = deadlineMs - performance.now();
      if (leftMs <= 0) return false;
      await Promise.race([this.look().catch(() => undefined), sleep(leftMs)]);
      if (!this.#hasReached(seqs)) await sleep(LOOK_AGAIN_MS);
    }
    return true;
  }

  /** Reads the cursors; joins a read in flight. */
  look(): Promise<void> {
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  #hasReached(seqs: readonly number[]): boolean {
    return this.#isUp && seqs.every((seq, index) => seq <= (this.#known[index] ?? 0));
  }

  async #look(): Promise<void> {
    const sources = this.#sources;
    try {
      const rows = await this.#sql`select partition, version, identity, cursor from presage_view.meta`;
      const read = new Map(rows.map((row) => [row.partition, row]));
      this.#recorded = sources.map(({ partition }) => Number(read.get(partition)?.cursor ?? 0));
      this.#isOurs = sources.every(({ partition, identity }) => {
        const recorded = read.get(partition)?.identity ?? undefined;
        return recorded === undefined || identity === undefined || recorded === identity;
      });
      const isReadable = this.#isOurs && rows.every((row) => row.version === this.#version);
      this.#known = isReadable ? this.#recorded : sources.map(() => 0);
      this.#isUp = true;
    } catch (error) {
      this.#known = sources.map(() => 0);
      this.#recorded = this.#known;
      // Tables that were dropped or not created yet are no fault of the database.
      this.#isUp = isMissingTable(error);
      if (!this.#isUp) throw error;
    }
  }
}
