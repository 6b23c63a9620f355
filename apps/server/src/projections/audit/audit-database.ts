// The audit log as a table: the actions of operators from the control partition, and the sequence read so far.
import { toHashText } from '@presage/journal';
import type { JournalRecord, OperatorAction, RecordOf } from '@presage/protocol';
import type { DurableBatch } from '../../host/partition-log.ts';
import type { Sql, TransactionSql } from '../../store/column-types.ts';
import type { ViewSource } from '../batch-feed.ts';
import { JournalTables } from '../journal-tables.ts';
import type { ViewTarget, WriteChunk } from '../projector.ts';
import type { ViewOwner } from '../view-owner.ts';
import { ViewMoved } from '../view-refusals.ts';

export interface AuditDatabaseOptions {
  readonly sql: Sql;
  /** The control partition. */
  readonly source: ViewSource;
  readonly owner: ViewOwner;
  readonly onRebuild: (reason: string) => void;
}

/** Raise it when the tables or their contents change: they are then refilled from the journal. */
const VERSION = '1';
/**
 * Most records of the partition are used tokens, so the sequence is saved with an action or once in this many records.
 */
const SAVE_EVERY = 10_000;

const CREATE_TABLES = `
create schema presage_audit;
create table presage_audit.meta (version text not null, identity text, cursor bigint not null);
create table presage_audit.actions (
  seq bigint primary key,
  time_ms bigint not null,
  actor text not null,
  kind text not null,
  -- The market, wallet, key or category; null where there is none.
  subject text,
  reason text not null,
  action text not null
);
create index actions_by_subject on presage_audit.actions (subject, seq);
`;

/** Upgrades tables of earlier versions in place: a rebuild would lose actions that were deleted from the journal. */
const ADD_HEAD = 'alter table presage_audit.meta add column if not exists head text';
const TABLES = ['meta', 'actions'];

export class AuditDatabase implements ViewTarget {
  readonly #options: AuditDatabaseOptions;
  readonly #sql: Sql;
  readonly #source: ViewSource;
  readonly #tables: JournalTables;
  #savedSeq = 0;

  constructor(options: AuditDatabaseOptions) {
    this.#options = options;
    this.#sql = options.sql;
    this.#source = options.source;
    this.#tables = new JournalTables({
      ...options,
      schema: 'presage_audit',
      tables: TABLES,
      version: VERSION,
      sources: [options.source],
      create: (sql) => this.#create(sql),
    });
  }

  /** The sequence saved in the database, which lags behind the records taken in; 0 before the first save. */
  get savedSeq(): number {
    return this.#savedSeq;
  }

  async open(): Promise<number> {
    const found = await this.#tables.resume();
    const [cursor = 0] = typeof found === 'string' ? await this.#tables.rebuild() : found;
    this.#savedSeq = cursor;
    await this.#sql.unsafe(ADD_HEAD);
    return cursor;
  }

  /** Whether the tables still hold everything that was saved. */
  isIntact(): Promise<boolean> {
    return this.#tables.isIntact([this.#savedSeq]);
  }

  async prepare(batches: readonly DurableBatch[]): Promise<WriteChunk> {
    return () => this.#write(batches);
  }

  /** Nothing to do: readers need only the rows. */
  async complete(): Promise<void> {}

  async analyze(): Promise<void> {
    await this.#sql.unsafe('analyze presage_audit.actions');
  }

  async isAnalyzed(): Promise<boolean> {
    return (await this.#sql`select 1 from pg_stats where schemaname = 'presage_audit' limit 1`).length > 0;
  }

  async #write(batches: readonly DurableBatch[]): Promise<void> {
    const { lastSeq: to, frame } = batches.at(-1)!;
    const rows = batches.flatMap(actionsIn);
    if (rows.length === 0 && to - this.#savedSeq < SAVE_EVERY) return;
    await this.#sql.begin(async (sql) => {
      await this.#advance(sql, { to, head: toHashText(frame) });
      for (const row of rows) await insertAction(sql, row);
    });
    this.#savedSeq = to;
    this.#options.owner.confirm();
  }

  /**
   * Accepts a cursor that another node of the same journal moved ahead. Tables behind what was saved here were
   * replaced.
   */
  async #advance(sql: TransactionSql, { to, head }: { to: number; head: string }): Promise<void> {
    const { identity = null } = this.#source;
    if (this.#savedSeq === 0) await this.#options.owner.claim(sql);
    const moved = await sql`update presage_audit.meta
      set identity = ${identity}, cursor = greatest(cursor, ${to}), head = case when cursor < ${to} then ${head} else head end
      where version = ${VERSION} and cursor >= ${this.#savedSeq} and (identity is null or identity = ${identity})
      returning cursor`;
    if (moved.length === 0) throw new ViewMoved(`the audit log is no longer at sequence ${this.#savedSeq}`);
  }

  /**
   * Fills only from what the journal still has: actions deleted from it (PRESAGE_ARCHIVE_DAYS) cannot be shown again.
   */
  async #create(sql: TransactionSql): Promise<readonly number[]> {
    const { firstSeq, identity = null } = this.#source;
    await sql.unsafe(CREATE_TABLES).simple();
    const cursor = firstSeq - 1;
    await sql`insert into presage_audit.meta (version, identity, cursor) values (${VERSION}, ${identity}, ${cursor})`;
    return [cursor];
  }
}

interface NumberedAction {
  readonly seq: number;
  readonly record: RecordOf<'operator-acted'>;
}

function actionsIn({ firstSeq, records }: DurableBatch): NumberedAction[] {
  return records.flatMap((record: JournalRecord, index) =>
    record.type === 'operator-acted' ? [{ seq: firstSeq + index, record }] : [],
  );
}

/** Idempotent: after a lost connection the same record is read again. */
async function insertAction(sql: TransactionSql, { seq, record }: NumberedAction): Promise<void> {
  const { timeMs, actor, reason, action, approval } = record;
  const shown = approval === undefined ? action : { ...action, approval };
  await sql`insert into presage_audit.actions (seq, time_ms, actor, kind, subject, reason, action)
    values (${seq}, ${timeMs}, ${actor}, ${action.kind}, ${subjectOf(action)}, ${reason}, ${JSON.stringify(shown)})
    on conflict (seq) do nothing`;
}

function subjectOf(action: OperatorAction): string | null {
  if ('marketId' in action) return action.marketId;
  if ('wallet' in action) return action.wallet;
  if ('keyId' in action) return action.keyId;
  if ('categoryId' in action) return action.categoryId;
  if ('approvalId' in action) return action.approvalId;
  if ('templateId' in action) return action.templateId;
  return 'scheduleId' in action ? action.scheduleId : null;
}
