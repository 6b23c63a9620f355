// The tables of the view as all partitions share them: whether they are of this journal and version, and their building anew.
import { SerialQueue } from '@presage/runtime';
import type { Sql, TransactionSql } from '../store/column-types.ts';
import type { ViewSchema } from '../store/schema.ts';
import type { ViewSource } from './batch-feed.ts';
import { FOLD_HASH } from './fold-hash.built.ts';
import { isMissingTable } from './table-watch.ts';
import type { ViewLease } from './view-lease.ts';
import { findObjection, readMeta, type ViewOwner } from './view-owner.ts';
import { ViewMoved, ViewUnbuildable } from './view-refusals.ts';

export interface ViewTablesOptions {
  readonly sql: Sql;
  readonly schema: ViewSchema;
  /** Every partition that the rows are made of, in their order. */
  readonly sources: readonly ViewSource[];
  /** Says whether the tables that are there may be written and replaced. */
  readonly owner: ViewOwner;
  readonly onRebuild: (reason: string) => void;
  /** Lease of tables that other nodes share; required to write them. */
  readonly lease?: ViewLease | undefined;
}

/** The range of a partition's records that a transaction adds to the view. */
export interface ViewStep {
  readonly from: number;
  readonly to: number;
  /** Hash of the frame that holds `to`. */
  readonly head: string;
}

const EMPTY = 'the database is empty';

/** Version of the tables and of the fold that fills them, over so many partitions. */
export function toViewVersion({ schema, sources }: Pick<ViewTablesOptions, 'schema' | 'sources'>): string {
  const spread = sources.length === 1 ? '' : `:${sources.length}`;
  return `${FOLD_HASH}:${schema.hash}${spread}`;
}

export class ViewTables {
  readonly sql: Sql;
  readonly sources: readonly ViewSource[];
  /** One transaction at a time: those of two partitions touch the same sums. */
  readonly turns = new SerialQueue();
  readonly #options: ViewTablesOptions;
  readonly #version: string;
  readonly #onRebuilt: ((index: number) => void)[] = [];

  constructor(options: ViewTablesOptions) {
    this.sql = options.sql;
    this.sources = options.sources;
    this.#options = options;
    this.#version = toViewVersion(options);
  }

  /** Returns the cursor of a partition; rebuilds empty tables first when those that are there cannot be trusted. */
  async open(index: number): Promise<number> {
    const found = await this.#find(this.sql);
    if (typeof found !== 'string') return found[index]!;
    if (found !== EMPTY) await this.#options.owner.assertUnused(found);
    const unbuildable = this.sources.find(({ firstSeq }) => firstSeq > 1);
    if (unbuildable !== undefined) throw new ViewUnbuildable(found, unbuildable);
    const cursors = await this.#rebuild();
    for (const listener of this.#onRebuilt) listener(index);
    return cursors[index]!;
  }

  /** Whether the tables still show at least so much of this journal, of each partition. */
  async isIntact(cursors: readonly number[]): Promise<boolean> {
    try {
      const rows = await this.sql`select partition, version, identity, cursor,
        (select count(*)::int from pg_tables where schemaname = 'presage_view') as tables from presage_view.meta`;
      const known = new Map(rows.map((row) => [row.partition, row]));
      return this.sources.every(({ partition, identity }, index) => {
        const row = known.get(partition);
        const isOurs = row?.version === this.#version && (row.identity ?? identity) === identity;
        return (
          isOurs && Number(row.cursor) >= cursors[index]! && Number(row.tables) >= this.#options.schema.tables.length
        );
      });
    } catch (error) {
      if (isMissingTable(error)) return false;
      throw error;
    }
  }

  /** Called with the partition that found them useless: what the others believe of their cursors is void. */
  onRebuilt(listener: (index: number) => void): void {
    this.#onRebuilt.push(listener);
  }

  /** Compare and set: a second writer waits here for the first and then finds the cursor elsewhere. */
  async advance(sql: TransactionSql, index: number, { from, to, head }: ViewStep): Promise<void> {
    const { partition, identity = null } = this.sources[index]!;
    await this.#options.lease?.hold(sql);
    if (from === 0) await this.#options.owner.claim(sql);
    const moved = await sql`update presage_view.meta set cursor = ${to}, head = ${head}, identity = ${identity}
      where partition = ${partition} and version = ${this.#version} and cursor = ${from}
        and (identity is null or identity = ${identity}) returning cursor`;
    if (moved.length === 0) throw new ViewMoved(`the view is no longer at sequence ${from} of ${partition}`);
  }

  /** Rows were committed. */
  confirm(): void {
    this.#options.owner.confirm();
  }

  /** Fresh statistics, so that readers' kept plans fit the size the tables have grown to. */
  async analyze(): Promise<void> {
    await this.sql.unsafe(`analyze ${this.#options.schema.tables.map((table) => `presage_view.${table}`).join(', ')}`);
  }

  /** The cursors in the order of the sources, or the reason why the tables cannot be resumed from. */
  async #find(sql: Sql | TransactionSql): Promise<readonly number[] | string> {
    await this.#options.owner.assertOurs(sql);
    const found = await sql`select tablename from pg_tables where schemaname = 'presage_view'`;
    if (found.length === 0) return EMPTY;
    const names = new Set(found.map((row): string => row.tablename));
    const missing = this.#options.schema.tables.filter((table) => !names.has(table));
    if (missing.length > 0) return `missing in the database: ${missing.join(', ')}`;
    const known = new Map((await readMeta(sql, 'presage_view.meta')).map((place) => [place.partition, place]));
    const cursors: number[] = [];
    for (const source of this.sources) {
      const place = known.get(source.partition);
      if (place === undefined) return `the database does not know partition ${source.partition}`;
      if (place.version !== this.#version) return 'the tables are of another version';
      const objection = await findObjection(place, source);
      if (objection !== undefined) return objection;
      cursors.push(place.cursor);
    }
    return cursors;
  }

  /** Looks again once nobody else can build them: of services that start at the same time one finds what the other built. */
  #rebuild(): Promise<readonly number[]> {
    return this.sql.begin(async (sql) => {
      await this.#options.lease?.hold(sql);
      await this.#options.owner.claim(sql);
      const found = await this.#find(sql);
      if (typeof found !== 'string') return found;
      this.#options.onRebuild(found);
      await sql.unsafe('drop schema if exists presage_view cascade');
      await sql.unsafe(this.#options.schema.sql).simple();
      for (const { partition, identity = null } of this.sources) {
        await sql`insert into presage_view.meta (partition, version, identity, cursor)
          values (${partition}, ${this.#version}, ${identity}, 0)`;
      }
      return this.sources.map(() => 0);
    });
  }
}
