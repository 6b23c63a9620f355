// Decides which of the nodes that share a view writes it: a row held for a limited time, by the database's clock.
import { randomUUID } from 'node:crypto';
import type { Sql, TransactionSql } from '../store/column-types.ts';

export interface ViewLeaseOptions {
  readonly sql: Sql;
  /** Address of the holder, for operators who inspect the table. */
  readonly address: string;
  /** Time of silence after which a holder is replaced. */
  readonly leaseMs: number;
}

/** Another node writes the view, or the writer is unknown: this node's pending write is void. */
export class ViewFenced extends Error {
  override readonly name = 'ViewFenced';

  constructor() {
    super('another node writes the view');
  }
}

/**
 * In a schema of its own, because the view's schema is dropped at a rebuild. The epoch is part of a key so that a
 * writer can lock it for its transaction: that keeps others from taking the lease, but not the writer from renewing it.
 */
const TABLES = [
  'create schema if not exists presage_projector',
  `create table if not exists presage_projector.lease (
    name text primary key, epoch bigint not null, holder text not null, address text not null, expires timestamptz not null,
    unique (name, epoch))`,
  `insert into presage_projector.lease (name, epoch, holder, address, expires) values ('view', 0, '', '', '-infinity')
    on conflict (name) do nothing`,
];
/**
 * Leases for which a writer may be silent inside a transaction: much of the journal is folded between two statements.
 */
const SILENT_LEASES = 4;
/** Name of a holder's writing sessions, shown in `pg_stat_activity`, where a node that takes over finds it. */
const WRITER = 'presage view writer';
/** Retries: nodes that start at the same time on an empty database may collide. */
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

  /** Whether this node still holds the lease. */
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
   * Holds the lease for a transaction that writes the view: throws if another node has it, and keeps others from taking
   * it until the commit. The server terminates a writer that sleeps inside the transaction, so that nobody waits
   * forever.
   */
  async hold(sql: TransactionSql): Promise<void> {
    const [, held] = await Promise.all([
      // Sent first: a writer that fell asleep between the two would block the lease, and nothing would terminate it.
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
   * Terminates a previous writer that was stopped in the middle of a statement. It keeps its lock, and its session
   * counts as working while the process sleeps, so no timeout of the server applies.
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
