// Tables filled from partitions of the journal: checks whether they can be resumed, and rebuilds them.
import type { Sql, TransactionSql } from '../store/column-types.ts';
import type { ViewSource } from './batch-feed.ts';
import { isMissingTable } from './table-watch.ts';
import type { ViewLease } from './view-lease.ts';
import { findObjection, readMeta, type ViewOwner } from './view-owner.ts';

export interface JournalTablesOptions {
  readonly sql: Sql;
  readonly schema: 'presage_view' | 'presage_audit';
  readonly tables: readonly string[];
  /** Version of the tables and of the program that fills them. */
  readonly version: string;
  /** Every partition that the rows come from, in order. */
  readonly sources: readonly ViewSource[];
  /** Decides whether existing tables may be written and replaced. */
  readonly owner: ViewOwner;
  /** Lease of tables shared with other nodes; required to build them. */
  readonly lease?: ViewLease | undefined;
  readonly onRebuild: (reason: string) => void;
  /** Creates the tables in an empty database and returns their initial cursors. */
  readonly create: (sql: TransactionSql) => Promise<readonly number[]>;
}

const EMPTY = 'the database is empty';

export class JournalTables {
  readonly #options: JournalTablesOptions;

  constructor(options: JournalTablesOptions) {
    this.#options = options;
  }

  /**
   * Cursors in the order of the sources, or the reason why the tables must be rebuilt. Throws if a rebuild is not
   * allowed.
   */
  async resume(): Promise<readonly number[] | string> {
    const { sql, owner } = this.#options;
    const found = await this.#find(sql);
    if (typeof found === 'string' && found !== EMPTY) await owner.assertUnused(found);
    return found;
  }

  /**
   * Checks again inside the transaction: of services that start at the same time, one finds the tables of the other.
   */
  rebuild(): Promise<readonly number[]> {
    const { sql: database, schema, owner, lease, onRebuild, create } = this.#options;
    return database.begin(async (sql) => {
      await lease?.hold(sql);
      await owner.claim(sql);
      const found = await this.#find(sql);
      if (typeof found !== 'string') return found;
      onRebuild(found);
      await sql.unsafe(`drop schema if exists ${schema} cascade`);
      return create(sql);
    });
  }

  /** Whether the tables still contain this journal at least up to these cursors. */
  async isIntact(cursors: readonly number[]): Promise<boolean> {
    const { sql, schema, tables, version, sources } = this.#options;
    try {
      const rows = await sql.unsafe(
        `select *, (select count(*)::int from pg_tables where schemaname = '${schema}') as tables from ${schema}.meta`,
      );
      return sources.every(({ partition, identity }, index) => {
        const row = rows.find((each) => (each.partition ?? partition) === partition);
        const isOurs = row?.version === version && (row.identity ?? identity) === identity;
        return isOurs && Number(row.cursor) >= cursors[index]! && Number(row.tables) >= tables.length;
      });
    } catch (error) {
      if (isMissingTable(error)) return false;
      throw error;
    }
  }

  async #find(sql: Sql | TransactionSql): Promise<readonly number[] | string> {
    const { owner, schema, tables, version, sources } = this.#options;
    await owner.assertOurs(sql);
    const found = await sql`select tablename from pg_tables where schemaname = ${schema}`;
    if (found.length === 0) return EMPTY;
    const names = new Set(found.map((row): string => row.tablename));
    const missing = tables.filter((table) => !names.has(table));
    if (missing.length > 0) return `missing in the database: ${missing.join(', ')}`;
    const meta = await readMeta(sql, `${schema}.meta`);
    const cursors: number[] = [];
    for (const source of sources) {
      const { partition } = source;
      // Tables of a single partition may not name it.
      const place = meta.find((each) => (each.partition || partition) === partition);
      if (place === undefined) return `the database does not know partition ${partition}`;
      if (place.version !== version) return 'the tables are of another version';
      const objection = await findObjection({ ...place, partition }, source);
      if (objection !== undefined) return objection;
      cursors.push(place.cursor);
    }
    return cursors;
  }
}
