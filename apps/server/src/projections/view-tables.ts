// The tables of the view, shared by all partitions: checks their journal and version, rebuilds them, and commits writes.
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
  /** Replaces the program's own hash in tests. */
  readonly foldHash?: string;
  /** Every partition that the rows come from, in order. */
  readonly sources: readonly ViewSource[];
  /** Decides whether existing tables may be written and replaced. */
  readonly owner: ViewOwner;
  readonly onRebuild: (reason: string) => void;
  /** Lease of tables shared with other nodes; required to write them. */
  readonly lease?: ViewLease | undefined;
}

/** The range of a partition's records that a transaction adds to the view. */
export interface ViewStep {
  readonly from: number;
  readonly to: number;
  /** Hash of the frame that holds `to`. */
  readonly head: string;
}

/** Version of the tables: schema, code that fills them, and number of partitions. */
export function toViewVersion({
  schema,
  sources,
  foldHash = FOLD_HASH,
}: Pick<ViewTablesOptions, 'schema' | 'sources' | 'foldHash'>): string {
  const spread = sources.length === 1 ? '' : `:${sources.length}`;
  return `${foldHash}:${schema.hash}${spread}`;
}

/**
 * Plans use indexes only: reading a whole table for a few thousand keys would make a rebuild quadratic. Statistics
 * hardly change such plans, so a connection keeps them: planning in each transaction would make a small one half as
 * expensive again.
 */
export const PLANNING = `select set_config('plan_cache_mode', 'force_generic_plan', true),
  set_config('enable_seqscan', 'off', true), set_config('enable_hashjoin', 'off', true),
  set_config('enable_mergejoin', 'off', true), set_config('synchronous_commit', $1, true)`;

/** One partition's part of a transaction. */
export interface PartitionWrite {
  /** Index of the partition among the sources. */
  readonly index: number;
  readonly step: ViewStep;
  /** Rows that other partitions of the transaction also write may only be added to. */
  writeRows(sql: BulkTransaction): Promise<void>;
}

export class ViewTables {
  readonly sql: Sql;
  readonly sources: readonly ViewSource[];
  /** One transaction at a time, because partitions write the same sums. */
  readonly turns = new SerialQueue();
  /** Partitions waiting for the next turn, and the transaction that they will share. */
  #waiting: PartitionWrite[] = [];
  #shared: Promise<void> | undefined;
  readonly #options: ViewTablesOptions;
  readonly #version: string;
  readonly #tables: JournalTables;
  readonly #onRebuilt: ((index: number) => void)[] = [];
  /** Partitions read to their end since the tables were opened or built. */
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

  /** Returns the cursor of a partition. If the existing tables cannot be trusted, replaces them by empty ones first. */
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

  /** Whether the tables still contain this journal at least up to these cursors. */
  isIntact(cursors: readonly number[]): Promise<boolean> {
    return this.#tables.isIntact(cursors);
  }

  /** Called with the partition that found the tables unusable: the cursors that the others know are void. */
  onRebuilt(listener: (index: number) => void): void {
    this.#onRebuilt.push(listener);
  }

  /**
   * Writes one partition's rows in a transaction with those of all others waiting: a commit and the lease cost the same
   * for one as for all, and a reader waits for two transactions instead of two per partition. They fail together, and
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

  /**
   * Writes rows of a partition that is catching up in a transaction of their own. A crash of the database may lose rows
   * and cursor.
   */
  writeAlone(write: PartitionWrite): Promise<void> {
    return this.turns.run(() => this.#transact([write], 'off'));
  }

  /**
   * Statements of all partitions are sent in parallel: one after the other, each partition would cost a dozen round
   * trips. What a partition reads is its own, and shared sums are added up by the server.
   */
  async #transact(writes: readonly PartitionWrite[], commit: 'on' | 'off'): Promise<void> {
    await this.sql.begin(async (sql) => {
      await Promise.all([sql.unsafe(PLANNING, [commit], { prepare: true }), this.#options.lease?.hold(sql)]);
      await allEnded(writes.map(({ index, step }) => this.#advance(sql, index, step)));
      // One for all partitions, because a COPY needs the connection to itself.
      const bulk = new BulkTransaction(sql);
      await allEnded(writes.map((write) => write.writeRows(bulk)));
    });
  }

  /** Compare and set: a second writer waits here for the first, then finds another cursor. */
  async #advance(sql: TransactionSql, index: number, { from, to, head }: ViewStep): Promise<void> {
    const { partition, identity = null } = this.sources[index]!;
    if (from === 0) await this.#options.owner.claim(sql);
    const moved = await sql`update presage_view.meta set cursor = ${to}, head = ${head}, identity = ${identity}
      where partition = ${partition} and version = ${this.#version} and cursor = ${from}
        and (identity is null or identity = ${identity}) returning cursor`;
    if (moved.length === 0) throw new ViewMoved(`the view is no longer at sequence ${from} of ${partition}`);
  }

  /** Called when rows were committed. */
  confirm(): void {
    this.#options.owner.confirm();
  }

  /** Called when a partition was read to its end. After the last one, builds missing indexes that only readers need. */
  async complete(index: number): Promise<void> {
    this.#complete.add(index);
    if (this.#complete.size === this.sources.length) await this.turns.run(() => this.#buildReaderIndexes());
  }

  /** Renews statistics, so that readers' cached plans fit the current size of the tables. */
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
      // "if not exists" misses what another service is creating at the same moment. Writers of rows may continue beside
      // this lock.
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
