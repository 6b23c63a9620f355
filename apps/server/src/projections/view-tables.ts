// The tables of the view as all partitions share them: whether they are of this journal and version, and their building anew.
import { SerialQueue } from '@presage/runtime';
import type { Sql, TransactionSql } from '../store/column-types.ts';
import type { ViewSchema } from '../store/schema.ts';
import type { ViewSource } from './batch-feed.ts';
import { allEnded, BulkTransaction } from './bulk-transaction.ts';
import { FOLD_HASH } from './fold-hash.built.ts';
import { JournalTables } from './journal-tables.ts';
import type { ViewLease } from './view-lease.ts';
import type { ViewOwner } from './view-owner.ts';
import { ViewMoved, ViewUnbuildable } from './view-refusals.ts';

export interface ViewTablesOptions {
  readonly sql: Sql;
  readonly schema: ViewSchema;
  /** Another than the program's own, for tests. */
  readonly foldHash?: string;
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

/** Version of the tables and of the fold that fills them, over so many partitions. */
export function toViewVersion({
  schema,
  sources,
  foldHash = FOLD_HASH,
}: Pick<ViewTablesOptions, 'schema' | 'sources' | 'foldHash'>): string {
  const spread = sources.length === 1 ? '' : `:${sources.length}`;
  return `${foldHash}:${schema.hash}${spread}`;
}

/**
 * Plans walk indexes only: one that reads a whole table for a few thousand keys would make a rebuild quadratic. Statistics change little of
 * such a plan, so a connection keeps it: planning in each transaction would cost a small one half as much again.
 */
export const PLANNING = `select set_config('plan_cache_mode', 'force_generic_plan', true),
  set_config('enable_seqscan', 'off', true), set_config('enable_hashjoin', 'off', true),
  set_config('enable_mergejoin', 'off', true), set_config('synchronous_commit', $1, true)`;

/** What a transaction does for one partition. */
export interface PartitionWrite {
  /** Index of the partition among the sources. */
  readonly index: number;
  readonly step: ViewStep;
  /** Rows that another partition of the transaction writes, too, are only added to. */
  writeRows(sql: BulkTransaction): Promise<void>;
}

export class ViewTables {
  readonly sql: Sql;
  readonly sources: readonly ViewSource[];
  /** One transaction at a time: those of two partitions touch the same sums. */
  readonly turns = new SerialQueue();
  /** Partitions that wait for the next turn, and the transaction that they will share. */
  #waiting: PartitionWrite[] = [];
  #shared: Promise<void> | undefined;
  readonly #options: ViewTablesOptions;
  readonly #version: string;
  readonly #tables: JournalTables;
  readonly #onRebuilt: ((index: number) => void)[] = [];
  /** Partitions that were read to their ends since the tables were opened or built. */
  readonly #complete = new Set<number>();

  constructor(options: ViewTablesOptions) {
    this.sql = options.sql;
    this.sources = options.sources;
    this.#options = options;
    this.#version = toViewVersion(options);
    const { schema, ...rest } = options;
    const create = (sql: TransactionSql) => this.#create(sql);
    this.#tables = new JournalTables({
      ...rest,
      schema: 'presage_view',
      tables: schema.tables,
      version: this.#version,
      create,
    });
  }

  /** Returns the cursor of a partition; rebuilds empty tables first when those that are there cannot be trusted. */
  async open(index: number): Promise<number> {
    const found = await this.#tables.resume();
    if (typeof found !== 'string') return found[index]!;
    const unbuildable = this.sources.find(({ firstSeq }) => firstSeq > 1);
    if (unbuildable !== undefined) throw new ViewUnbuildable(found, unbuildable);
    const cursors = await this.#tables.rebuild();
    this.#complete.clear();
    for (const listener of this.#onRebuilt) listener(index);
    return cursors[index]!;
  }

  /** Whether the tables still show at least so much of this journal, of each partition. */
  isIntact(cursors: readonly number[]): Promise<boolean> {
    return this.#tables.isIntact(cursors);
  }

  /** Called with the partition that found them useless: what the others believe of their cursors is void. */
  onRebuilt(listener: (index: number) => void): void {
    this.#onRebuilt.push(listener);
  }

  /**
   * Writes the rows of one partition in a transaction with those of all others that wait for their turn: a commit and the lease cost
   * the same for one as for all, and a reader waits for two transactions instead of two for each partition. They fail together, and
   * each reads its cursor again.
   */
  write(write: PartitionWrite): Promise<void> {
    this.#waiting.push(write);
    this.#shared ??= this.turns.run(() => {
      this.#shared = undefined;
      return this.#transact(this.#waiting.splice(0), 'on');
    });
    return this.#shared;
  }

  /** Writes the rows of a partition that is catching up by themselves. A crash of the database may lose them and their cursor. */
  writeAlone(write: PartitionWrite): Promise<void> {
    return this.turns.run(() => this.#transact([write], 'off'));
  }

  /**
   * The statements of all partitions go to the server side by side: one partition after the other would wait for a dozen exchanges with it
   * for each. What a partition reads is its own, and sums that several add to are added to by the server.
   */
  async #transact(writes: readonly PartitionWrite[], commit: 'on' | 'off'): Promise<void> {
    await this.sql.begin(async (sql) => {
      await Promise.all([sql.unsafe(PLANNING, [commit], { prepare: true }), this.#options.lease?.hold(sql)]);
      await allEnded(writes.map(({ index, step }) => this.#advance(sql, index, step)));
      // One for all: a COPY of one partition has the connection to itself.
      const bulk = new BulkTransaction(sql);
      await allEnded(writes.map((write) => write.writeRows(bulk)));
    });
  }

  /** Compare and set: a second writer waits here for the first and then finds the cursor elsewhere. */
  async #advance(sql: TransactionSql, index: number, { from, to, head }: ViewStep): Promise<void> {
    const { partition, identity = null } = this.sources[index]!;
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

  /** The partition was read to its end. Once all were, builds the indexes that only readers need, unless they are there. */
  async complete(index: number): Promise<void> {
    this.#complete.add(index);
    if (this.#complete.size === this.sources.length) await this.turns.run(() => this.#buildReaderIndexes());
  }

  /** Fresh statistics, so that readers' kept plans fit the size the tables have grown to. */
  async analyze(): Promise<void> {
    await this.sql.unsafe(`analyze ${this.#options.schema.tables.map((table) => `presage_view.${table}`).join(', ')}`);
  }

  async isAnalyzed(): Promise<boolean> {
    return (await this.sql`select 1 from pg_stats where schemaname = 'presage_view' limit 1`).length > 0;
  }

  async #buildReaderIndexes(): Promise<void> {
    if ((await this.#missingIndexes(this.sql)).length === 0) return;
    await this.sql.begin(async (sql) => {
      await this.#options.lease?.hold(sql);
      // "if not exists" does not see what another service is creating at the same moment; writers of rows go on beside this lock.
      await sql`lock table presage_view.meta in share update exclusive mode`;
      const missing = await this.#missingIndexes(sql);
      if (missing.length > 0) await sql.unsafe(missing.map(({ statement }) => statement).join('\n')).simple();
    });
  }

  async #missingIndexes(sql: Sql | TransactionSql): Promise<ViewSchema['readerIndexes']> {
    const rows = await sql`select indexname from pg_indexes where schemaname = 'presage_view'`;
    const found = new Set(rows.map((row): string => row.indexname));
    return this.#options.schema.readerIndexes.filter(({ name }) => !found.has(name));
  }

  async #create(sql: TransactionSql): Promise<readonly number[]> {
    await sql.unsafe(this.#options.schema.sql).simple();
    for (const { partition, identity = null } of this.sources) {
      await sql`insert into presage_view.meta (partition, version, identity, cursor)
        values (${partition}, ${this.#version}, ${identity}, 0)`;
    }
    return this.sources.map(() => 0);
  }
}
