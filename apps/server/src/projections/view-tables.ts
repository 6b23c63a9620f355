// The tables of the view as all partitions share them: whether they are of this journal and version, and their building anew.
import { SerialQueue } from '@presage/runtime';
import type { Sql, TransactionSql } from '../store/column-types.ts';
import type { ViewSchema } from '../store/schema.ts';
import type { ViewSource } from './batch-feed.ts';
import type { Wide } from './column-values.ts';
import { FOLD_HASH } from './fold-hash.built.ts';
import type { ViewLease } from './view-lease.ts';

export interface ViewTablesOptions {
  readonly sql: Sql;
  readonly schema: ViewSchema;
  /** Another than the program's own, for tests. */
  readonly foldHash?: string;
  /** Every partition that the rows are made of, in their order. */
  readonly sources: readonly ViewSource[];
  readonly onRebuild: (reason: string) => void;
  /** Of tables that other nodes share: without it nothing is written. */
  readonly lease?: ViewLease | undefined;
}

/** Of the tables and of the fold that fills them, over so many partitions. */
export function toViewVersion({
  schema,
  sources,
  foldHash = FOLD_HASH,
}: Pick<ViewTablesOptions, 'schema' | 'sources' | 'foldHash'>): string {
  const spread = sources.length === 1 ? '' : `:${sources.length}`;
  return `${foldHash}:${schema.hash}${spread}`;
}

interface Meta {
  readonly partition: string;
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

export class ViewTables {
  readonly sql: Sql;
  readonly sources: readonly ViewSource[];
  /** One transaction at a time: those of two partitions touch the same sums. */
  readonly turns = new SerialQueue();
  readonly #schema: ViewSchema;
  readonly #version: string;
  readonly #lease: ViewLease | undefined;
  readonly #onRebuild: (reason: string) => void;
  readonly #onRebuilt: ((index: number) => void)[] = [];

  constructor(options: ViewTablesOptions) {
    this.sql = options.sql;
    this.sources = options.sources;
    this.#schema = options.schema;
    this.#version = toViewVersion(options);
    this.#lease = options.lease;
    this.#onRebuild = options.onRebuild;
  }

  /** Answers the cursor of a partition; rebuilds empty tables first when those that are there cannot be trusted. */
  async open(index: number): Promise<number> {
    const metas = await this.#readMetas();
    const reason = typeof metas === 'string' ? metas : this.#objectionTo(metas);
    if (reason === undefined) return Number((metas as Meta[])[index]!.cursor);
    const unbuildable = this.sources.find(({ firstSeq }) => firstSeq > 1);
    if (unbuildable !== undefined) throw new ViewUnbuildable(reason, unbuildable);
    await this.#rebuild(reason);
    for (const listener of this.#onRebuilt) listener(index);
    return 0;
  }

  /** Called with the partition that found them useless: what the others believe of their cursors is void. */
  onRebuilt(listener: (index: number) => void): void {
    this.#onRebuilt.push(listener);
  }

  /** Compare and set: a second writer waits here for the first and then finds the cursor elsewhere. */
  async advance(sql: TransactionSql, index: number, { from, to }: { from: number; to: number }): Promise<void> {
    const { partition, identity } = this.sources[index]!;
    await this.#lease?.hold(sql);
    const moved = await sql`update presage_view.meta set cursor = ${to}, identity = ${identity ?? null}
      where partition = ${partition} and version = ${this.#version} and cursor = ${from} returning cursor`;
    if (moved.length === 0) throw new ViewMoved(`the view is no longer at sequence ${from} of ${partition}`);
  }

  /** Fresh statistics, so that readers' kept plans fit the size the tables have grown to. */
  async analyze(): Promise<void> {
    await this.sql.unsafe(`analyze ${this.#schema.tables.map((table) => `presage_view.${table}`).join(', ')}`);
  }

  /** In the order of the sources; a string says why there are none to read. */
  async #readMetas(): Promise<Meta[] | string> {
    const found = await this.sql`select tablename from pg_tables where schemaname = 'presage_view'`;
    if (found.length === 0) return 'the database is empty';
    const names = new Set(found.map((row) => row.tablename as string));
    const missing = this.#schema.tables.filter((table) => !names.has(table));
    if (missing.length > 0) return `missing in the database: ${missing.join(', ')}`;
    const columns = await this.sql`select column_name from information_schema.columns
      where table_schema = 'presage_view' and table_name = 'meta'`;
    const isReadable = ['partition', 'version', 'identity', 'cursor'].every((name) =>
      columns.some((column) => column.column_name === name),
    );
    if (!isReadable) return 'the tables are of another version';
    const rows = await this.sql<Meta[]>`select * from presage_view.meta`;
    const known = new Map(rows.map((meta) => [meta.partition, meta]));
    const unknown = this.sources.find(({ partition }) => !known.has(partition));
    if (unknown !== undefined) return `the database does not know partition ${unknown.partition}`;
    return this.sources.map(({ partition }) => known.get(partition) as Meta);
  }

  #objectionTo(metas: readonly Meta[]): string | undefined {
    for (const [index, meta] of metas.entries()) {
      const objection = this.#objectionToOne(meta, this.sources[index]!);
      if (objection !== undefined) return objection;
    }
    return undefined;
  }

  #objectionToOne({ version, identity, cursor }: Meta, source: ViewSource): string | undefined {
    const { lastSeq } = source;
    if (version !== this.#version) return 'the tables are of another version';
    if (Number(cursor) > lastSeq) return `the database is at ${cursor}, the journal only at ${lastSeq}`;
    if (Number(cursor) > 0 && identity !== (source.identity ?? null)) return 'the database is of another journal';
    return undefined;
  }

  async #rebuild(reason: string): Promise<void> {
    this.#onRebuild(reason);
    await this.sql.begin(async (sql) => {
      await this.#lease?.hold(sql);
      await sql.unsafe('drop schema if exists presage_view cascade');
      await sql.unsafe(this.#schema.sql).simple();
      for (const { partition, identity } of this.sources) {
        await sql`insert into presage_view.meta (partition, version, identity, cursor)
          values (${partition}, ${this.#version}, ${identity ?? null}, 0)`;
      }
    });
  }
}
