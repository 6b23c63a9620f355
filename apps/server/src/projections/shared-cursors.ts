// How far a view is that another node writes: read from the database itself, as often as somebody waits for it.
import { sleep } from '@presage/runtime';
import type { Sql } from '../store/column-types.ts';
import type { ViewSource } from './batch-feed.ts';

export interface SharedCursorsOptions {
  readonly sql: Sql;
  readonly sources: readonly ViewSource[];
  /** Of the tables that this program can read. */
  readonly version: string;
}

/** While somebody waits. */
const LOOK_AGAIN_MS = 5;
/** The tables are not there yet, or are being built anew. */
const NO_TABLES = new Set(['42P01', '3F000', '42703']);

export class SharedCursors {
  readonly #options: SharedCursorsOptions;
  #known: readonly number[];
  #looking: Promise<void> | undefined;
  #isUp = false;

  constructor(options: SharedCursorsOptions) {
    this.#options = options;
    this.#known = options.sources.map(() => 0);
  }

  /** As of the last look. */
  get cursors(): readonly number[] {
    return this.#known;
  }

  /** Whether the database answered the last look. */
  get isUp(): boolean {
    return this.#isUp;
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

  /** Joins a look that is under way. */
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
    const { sql, sources, version } = this.#options;
    try {
      const rows = await sql`select partition, version, cursor from presage_view.meta`;
      const read = new Map(rows.filter((row) => row.version === version).map((row) => [row.partition, row.cursor]));
      this.#known = sources.map(({ partition }) => Number(read.get(partition) ?? 0));
      this.#isUp = true;
    } catch (error) {
      this.#known = sources.map(() => 0);
      this.#isUp = NO_TABLES.has(String((error as { code?: unknown }).code));
      if (!this.#isUp) throw error;
    }
  }
}
