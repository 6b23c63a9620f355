// The view's place in PostgreSQL: knows whether its tables are of this journal and version, and moves them forward.

import type { DurableBatch } from '../host/partition-log.ts';
import type { Sql, TransactionSql } from '../store/column-types.ts';
import type { ViewSchema } from '../store/schema.ts';
import type { ViewSource } from './batch-feed.ts';
import type { Wide } from './column-values.ts';
import { FOLD_HASH } from './fold-hash.built.ts';
import { loadMarketSeqs, type MarketSeqs } from './markets/market-model.ts';
import { ViewFold } from './view-fold.ts';

/**
 * Plans are made anew for each transaction and always walk indexes: a plan kept from when a table was empty, or one that
 * reads a whole table for a few thousand keys, would make a rebuild quadratic.
 */
const PLANNING = `select set_config('plan_cache_mode', 'force_custom_plan', true),
  set_config('enable_seqscan', 'off', true), set_config('enable_hashjoin', 'off', true),
  set_config('enable_mergejoin', 'off', true), set_config('synchronous_commit', $1, true)`;

export interface ViewDatabaseOptions {
  readonly sql: Sql;
  readonly schema: ViewSchema;
  /** Another than the program's own, for tests. */
  readonly foldHash?: string;
  readonly source: ViewSource;
  readonly onRebuild: (reason: string) => void;
}

interface Meta {
  readonly version: string;
  readonly identity: string | null;
  readonly cursor: Wide;
}

/** Somebody else moved the view: what this process believes of it is void. */
class ViewMoved extends Error {
  override readonly name = 'ViewMoved';
}

/** What is in the database stays as it is: it may be all that is left of the deleted records. */
export class ViewUnbuildable extends Error {
  override readonly name = 'ViewUnbuildable';

  constructor(reason: string, { partition, firstSeq }: ViewSource) {
    super(
      `The view has to be built anew (${reason}), but records 1 to ${firstSeq - 1} of ${partition} were deleted ` +
        `(PRESAGE_ARCHIVE_DAYS). Put its archived segments back into journal/${partition}/archive and start again.`,
    );
  }
}

export class ViewDatabase {
  readonly #sql: Sql;
  readonly #schema: ViewSchema;
  readonly #version: string;
  readonly #source: ViewSource;
  readonly #onRebuild: (reason: string) => void;
  #marketSeqs: MarketSeqs = new Map();

  constructor(options: ViewDatabaseOptions) {
    this.#sql = options.sql;
    this.#schema = options.schema;
    this.#version = `${options.foldHash ?? FOLD_HASH}:${options.schema.hash}`;
    this.#source = options.source;
    this.#onRebuild = options.onRebuild;
  }

  /** Answers the cursor; rebuilds empty tables first when those that are there cannot be trusted. */
  async open(): Promise<number> {
    const meta = await this.#readMeta();
    const reason = typeof meta === 'string' ? meta : this.#objectionTo(meta);
    if (reason !== undefined && this.#source.firstSeq > 1) throw new ViewUnbuildable(reason, this.#source);
    if (reason !== undefined) await this.#rebuild(reason);
    this.#marketSeqs = await loadMarketSeqs(this.#sql);
    return typeof meta === 'string' || reason !== undefined ? 0 : Number(meta.cursor);
  }

  /** Rows and cursor together or not at all. A hasty one may be lost with a crash of the database, cursor and all. */
  async apply(batches: readonly DurableBatch[], isHasty: boolean): Promise<void> {
    const from = batches[0]!.firstSeq - 1;
    const to = batches.at(-1)!.lastSeq;
    await this.#sql.begin(async (sql) => {
      const planned = sql.unsafe(PLANNING, [isHasty ? 'off' : 'on'], { prepare: true });
      await Promise.all([planned, this.#advance(sql, from, to)]);
      await new ViewFold(this.#marketSeqs).run(sql, batches);
    });
  }

  /** Fresh statistics, so that readers' kept plans fit the size the tables have grown to. */
  async analyze(): Promise<void> {
    await this.#sql.unsafe(`analyze ${this.#schema.tables.map((table) => `presage_view.${table}`).join(', ')}`);
  }

  /** A string says why there is none to read. */
  async #readMeta(): Promise<Meta | string> {
    const found = await this.#sql`select tablename from pg_tables where schemaname = 'presage_view'`;
    if (found.length === 0) return 'the database is empty';
    const names = new Set(found.map((row) => row.tablename as string));
    const missing = this.#schema.tables.filter((table) => !names.has(table));
    if (missing.length > 0) return `missing in the database: ${missing.join(', ')}`;
    const columns = await this.#sql`select column_name from information_schema.columns
      where table_schema = 'presage_view' and table_name = 'meta'`;
    const isReadable = ['partition', 'version', 'identity', 'cursor'].every((name) =>
      columns.some((column) => column.column_name === name),
    );
    if (!isReadable) return 'the tables are of another version';
    const { partition } = this.#source;
    const [meta] = await this.#sql<Meta[]>`select * from presage_view.meta where partition = ${partition}`;
    return meta ?? `the database does not know partition ${partition}`;
  }

  #objectionTo({ version, identity, cursor }: Meta): string | undefined {
    const { lastSeq } = this.#source;
    if (version !== this.#version) return 'the tables are of another version';
    if (Number(cursor) > lastSeq) return `the database is at ${cursor}, the journal only at ${lastSeq}`;
    if (Number(cursor) > 0 && identity !== (this.#source.identity ?? null)) return 'the database is of another journal';
    return undefined;
  }

  async #rebuild(reason: string): Promise<void> {
    this.#onRebuild(reason);
    await this.#sql.begin(async (sql) => {
      await sql.unsafe('drop schema if exists presage_view cascade');
      await sql.unsafe(this.#schema.sql).simple();
      await sql`insert into presage_view.meta (partition, version, identity, cursor)
        values (${this.#source.partition}, ${this.#version}, ${this.#source.identity ?? null}, 0)`;
    });
  }

  /** Compare and set: a second writer waits here for the first and then finds the cursor elsewhere. */
  async #advance(sql: TransactionSql, from: number, to: number): Promise<void> {
    const { partition, identity } = this.#source;
    const moved = await sql`update presage_view.meta set cursor = ${to}, identity = ${identity ?? null}
      where partition = ${partition} and version = ${this.#version} and cursor = ${from} returning cursor`;
    if (moved.length === 0) throw new ViewMoved(`the view is no longer at sequence ${from}`);
  }
}
