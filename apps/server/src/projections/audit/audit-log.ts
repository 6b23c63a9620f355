// The audit log as the service reads it: a read contains every answered action, or is refused.
import { LIMITS, type OperatorAction, PresageError } from '@presage/protocol';
import type { PendingQuery, Row } from 'postgres';
import type { Sql } from '../../store/column-types.ts';
import { Selection } from '../bulk-statement.ts';
import { integer, orNull, type RowOf, text } from '../columns.ts';
import { Projector } from '../projector.ts';
import { toReadError } from '../read-error.ts';
import { TableWatch } from '../table-watch.ts';
import { ViewRefused } from '../view-refusals.ts';
import { AuditDatabase, type AuditDatabaseOptions } from './audit-database.ts';

const ENTRIES = new Selection({
  seq: integer(),
  timeMs: integer(),
  actor: text(),
  kind: text(),
  subject: orNull(text()),
  reason: text(),
  action: text(),
});
export type AuditEntry = Omit<RowOf<typeof ENTRIES.columns>, 'action'> & { readonly action: OperatorAction };

export interface AuditQuery {
  /** Restricts the list to a market, wallet, key or category. */
  readonly subject?: string | undefined;
  /** Restricts the list to actions before this sequence. */
  readonly beforeSeq?: number | undefined;
  readonly limit: number;
}

export interface AuditRange {
  readonly fromMs: number;
  readonly toMs: number;
  readonly afterSeq: number;
  readonly limit: number;
}

export interface AuditLogOptions extends AuditDatabaseOptions {
  readonly onTrouble: (error: unknown) => void;
}

export class AuditLog {
  readonly #options: AuditLogOptions;
  readonly #database: AuditDatabase;
  readonly #projector: Projector;
  readonly #watch: TableWatch;

  constructor(options: AuditLogOptions) {
    const { source, onTrouble } = options;
    this.#options = options;
    this.#database = new AuditDatabase(options);
    this.#projector = new Projector({ source, target: this.#database, onTrouble });
    this.#watch = new TableWatch(
      () => this.#database.isIntact(),
      () => this.#projector.reopen(),
    );
  }

  /** The last sequence taken in. */
  get cursor(): number {
    return this.#projector.cursor;
  }

  /** The first record that a restart reads again; earlier ones may be deleted. */
  readonly neededFromSeq = (): number => this.#database.savedSeq + 1;

  /** Rejects if the tables are refused. Catches up in the background: only readers of the log wait for it. */
  async start(): Promise<void> {
    await this.#database.open().catch((error: unknown) => {
      if (error instanceof ViewRefused) throw error;
    });
    this.#projector.run();
    this.#watch.start();
  }

  async close(): Promise<void> {
    await this.#watch.close();
    await this.#projector.close();
  }

  /** Actions, newest first. */
  async list({ subject, beforeSeq, limit }: AuditQuery): Promise<AuditEntry[]> {
    return this.#read(
      (sql) => sql`${selectEntries(sql)}
        where seq < ${beforeSeq ?? Number.MAX_SAFE_INTEGER} and (${subject ?? null}::text is null or subject = ${subject ?? null})
        order by seq desc limit ${limit}`,
    );
  }

  /** Actions after a sequence, oldest first. */
  async listFrom({ fromMs, toMs, afterSeq, limit }: AuditRange): Promise<AuditEntry[]> {
    return this.#read(
      (sql) => sql`${selectEntries(sql)}
        where seq > ${afterSeq} and time_ms >= ${fromMs} and time_ms < ${toMs} order by seq limit ${limit}`,
    );
  }

  async #read(select: (sql: Sql) => PendingQuery<Row[]>): Promise<AuditEntry[]> {
    const { sql, source } = this.#options;
    if (!(await this.#projector.waitFor(source.lastSeq, LIMITS.readYourWritesMs))) {
      throw new PresageError(this.#projector.isUp ? 'view_behind' : 'database_unavailable');
    }
    const rows = await select(sql).catch((error: unknown) => {
      throw toReadError(error);
    });
    // The action is that of a journal record, which was checked when it was read.
    return rows.map(ENTRIES.read).map((entry) => ({ ...entry, action: JSON.parse(entry.action) as OperatorAction }));
  }
}

function selectEntries(sql: Sql) {
  return sql`select seq, time_ms, actor, kind, subject, reason, action from presage_audit.actions`;
}
