// Which of the nodes that share a view writes it: a row that one of them holds for a while, by the database's clock.
import { randomUUID } from 'node:crypto';
import type { Sql, TransactionSql } from '../store/column-types.ts';

export interface ViewLeaseOptions {
  readonly sql: Sql;
  /** Address of the holder, for operators who look into the table. */
  readonly address: string;
  /** A holder that is silent for so long is replaced. */
  readonly leaseMs: number;
}

/** Another node writes the view, or nobody knows who does: what this one was about to write is void. */
export class ViewFenced extends Error {
  override readonly name = 'ViewFenced';

  constructor() {
    super('another node writes the view');
  }
}

/**
 * Outside of the schema of the view, which is dropped when it is built anew. The epoch is in a key so that a writer can lock
 * it for the length of its transaction, which keeps others from taking the lease, but not the writer from renewing it.
 */
const TABLES = [
  'create schema if not exists presage_projector',
  `create table if not exists presage_projector.lease (
    name text primary key, epoch bigint not null, holder text not null, address text not null, expires timestamptz not null,
    unique (name, epoch))`,
  `insert into presage_projector.lease (name, epoch, holder, address, expires) values ('view', 0, '', '', '-infinity')
    on conflict (name) do nothing`,
];
/** A writer may be silent for so many leases inside of a transaction: a large part of the journal is folded between two statements. */
const SILENT_LEASES = 4;
/** Name of the sessions in which a holder writes: `pg_stat_activity` shows it, and a node that takes over finds it. */
const WRITER = 'presage view writer';
/** Nodes that start at the same time on an empty database may collide. */
const CREATE_TRIES = 5;

export class ViewLease {
  readonly #options: ViewLeaseOptions;
  readonly #holder = randomUUID();
  #epoch = 0;

  private constructor(options: ViewLeaseOptions) {
    this.#options = options;
  }

  static async open(options: ViewLeaseOptions): Promise<ViewLease> {
    for (const statement of TABLES) await create(options.sql, statement);
    return new ViewLease(options);
  }

  /** Whether this node acquired the lease. It cannot while a transaction of the previous holder is in flight: retry. */
  async take(): Promise<boolean> {
    const { sql, address, leaseMs } = this.#options;
    const [taken] = await sql`update presage_projector.lease
      set epoch = epoch + 1, holder = ${this.#holder}, address = ${address},
        expires = clock_timestamp() + ${leaseMs}::int * interval '1 millisecond'
      from (select name from presage_projector.lease
        where name = 'view' and expires < clock_timestamp() for update skip locked) as free
      where lease.name = free.name returning epoch`;
    if (taken === undefined) await this.#endSilentWriter();
    else this.#epoch = Number(taken.epoch);
    return taken !== undefined;
  }

  /** Whether it still is. */
  async renew(): Promise<boolean> {
    const { sql, leaseMs } = this.#options;
    const renewed = await sql`update presage_projector.lease
      set expires = clock_timestamp() + ${leaseMs}::int * interval '1 millisecond'
      where name = 'view' and holder = ${this.#holder} and epoch = ${this.#epoch} returning epoch`;
    return renewed.length > 0;
  }

  async release(): Promise<void> {
    const { sql } = this.#options;
    await sql`update presage_projector.lease set expires = '-infinity', holder = '', address = ''
      where name = 'view' and holder = ${this.#holder}`;
  }

  /**
   * Holds the lease for a transaction that writes the view: throws if another node has it, and keeps it from others until the
   * commit. The server ends a writer that sleeps in the middle, so that nobody waits for it forever.
   */
  async hold(sql: TransactionSql): Promise<void> {
    const [, held] = await Promise.all([
      // First: a writer that fell asleep between the two would keep the lease from everybody, and nothing would end it.
      sql`select set_config('idle_in_transaction_session_timeout', ${String(this.#silentMs)}, true),
        set_config('application_name', ${`${WRITER} ${this.#holder}`}, true)`,
      sql`select 1 from presage_projector.lease
        where name = 'view' and holder = ${this.#holder} and epoch = ${this.#epoch} for key share`,
    ]);
    if (held.length === 0) throw new ViewFenced();
  }

  get #silentMs(): number {
    return SILENT_LEASES * this.#options.leaseMs;
  }

  /**
   * A process that was stopped in the middle of a statement keeps its lock, and its session is not idle: it counts as
   * working for as long as the process sleeps, so no time limit of the server ends it.
   */
  async #endSilentWriter(): Promise<void> {
    await this.#options.sql`select pg_terminate_backend(pid)
      from presage_projector.lease join pg_stat_activity on application_name = ${`${WRITER} `} || holder
      where name = 'view' and expires < clock_timestamp() - ${this.#silentMs}::int * interval '1 millisecond'`;
  }
}

async function create(sql: Sql, statement: string): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await sql.unsafe(statement);
      return;
    } catch (error) {
      if (tries === CREATE_TRIES) throw error;
    }
  }
}
