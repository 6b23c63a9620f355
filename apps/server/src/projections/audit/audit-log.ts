// The audit log as the service reads it: every action that was answered is in it, or the read is refused.
import { LIMITS, type OperatorAction, PresageError } from '@presage/protocol';
import type { Sql } from '../../store/column-types.ts';
import type { ViewSource } from '../batch-feed.ts';
import { Projector } from '../projector.ts';
import { AuditDatabase } from './audit-database.ts';

export interface AuditEntry {
  readonly seq: number;
  readonly timeMs: number;
  readonly actor: string;
  readonly kind: string;
  readonly subject: string | null;
  readonly reason: string;
  readonly action: OperatorAction;
}

export interface AuditQuery {
  /** Only of this market, wallet, key or category. */
  readonly subject?: string | undefined;
  /** Only those before it. */
  readonly beforeSeq?: number | undefined;
  readonly limit: number;
}

export interface AuditLogOptions {
  readonly source: ViewSource;
  readonly sql: Sql;
  readonly onTrouble: (error: unknown) => void;
}

export class AuditLog {
  readonly #options: AuditLogOptions;
  readonly #projector: Projector;

  constructor(options: AuditLogOptions) {
    const { source, sql, onTrouble } = options;
    this.#options = options;
    this.#projector = new Projector({ source, target: new AuditDatabase(sql, source), onTrouble });
  }

  /** The first record that is not in the log; before it, records may be deleted. */
  readonly neededFromSeq = (): number => this.#projector.cursor + 1;

  /** In the background: nobody waits for it but those who read the log. */
  start(): void {
    this.#projector.start().catch(this.#options.onTrouble);
  }

  close(): Promise<void> {
    return this.#projector.close();
  }

  /** Newest first. */
  async list({ subject, beforeSeq, limit }: AuditQuery): Promise<AuditEntry[]> {
    const { sql, source } = this.#options;
    if (!(await this.#projector.waitFor(source.lastSeq, LIMITS.readYourWritesMs))) {
      throw new PresageError(this.#projector.isUp ? 'view_behind' : 'database_unavailable');
    }
    const rows = await sql`select seq, time_ms, actor, kind, subject, reason, action from presage_audit.actions
      where seq < ${beforeSeq ?? Number.MAX_SAFE_INTEGER} and (${subject ?? null}::text is null or subject = ${subject ?? null})
      order by seq desc limit ${limit}`;
    return rows.map((row) => ({
      seq: Number(row.seq),
      timeMs: Number(row.time_ms),
      actor: row.actor as string,
      kind: row.kind as string,
      subject: row.subject as string | null,
      reason: row.reason as string,
      action: JSON.parse(row.action as string) as OperatorAction,
    }));
  }
}
