// The audit log as a table: what operators did, out of the control partition, with the place up to which it was read.
import type { JournalRecord, OperatorAction, RecordOf } from '@presage/protocol';
import type { DurableBatch } from '../../host/partition-log.ts';
import type { Sql, TransactionSql } from '../../store/column-types.ts';
import type { ViewSource } from '../batch-feed.ts';
import type { PreparedChunk, ViewTarget } from '../projector.ts';

/** Raised when the tables or what is put into them change: they are then filled anew from the journal. */
const VERSION = '1';
/** Most records of the partition are used tokens: the place is written down with an action, or once in so many records. */
const SAVE_EVERY = 10_000;

const TABLES = `
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

export class AuditDatabase implements ViewTarget {
  readonly #sql: Sql;
  readonly #source: ViewSource;
  #savedSeq = 0;

  constructor(sql: Sql, source: ViewSource) {
    this.#sql = sql;
    this.#source = source;
  }

  async open(): Promise<number> {
    this.#savedSeq = (await this.#readCursor()) ?? (await this.#rebuild());
    return this.#savedSeq;
  }

  async prepare(batches: readonly DurableBatch[]): Promise<PreparedChunk> {
    return { write: () => this.#write(batches) };
  }

  async analyze(): Promise<void> {
    await this.#sql.unsafe('analyze presage_audit.actions');
  }

  async #write(batches: readonly DurableBatch[]): Promise<void> {
    const to = batches.at(-1)!.lastSeq;
    const rows = batches.flatMap(actionsIn);
    if (rows.length === 0 && to - this.#savedSeq < SAVE_EVERY) return;
    await this.#sql.begin(async (sql) => {
      for (const row of rows) await insertAction(sql, row);
      await sql`update presage_audit.meta set cursor = ${to}, identity = ${this.#source.identity ?? null}`;
    });
    this.#savedSeq = to;
  }

  /** Undefined where there is nothing that could be gone on from. */
  async #readCursor(): Promise<number | undefined> {
    const found = await this.#sql`select tablename from pg_tables where schemaname = 'presage_audit'`;
    if (found.length < 2) return undefined;
    const [meta] = await this.#sql`select version, identity, cursor from presage_audit.meta`;
    const cursor = Number(meta?.cursor ?? -1);
    const isOurs = cursor === 0 || meta?.identity === (this.#source.identity ?? null);
    return meta?.version === VERSION && isOurs && cursor >= 0 && cursor <= this.#source.lastSeq ? cursor : undefined;
  }

  /** Of what the journal still has: what was deleted there (PRESAGE_ARCHIVE_DAYS) cannot be shown again. */
  async #rebuild(): Promise<number> {
    const cursor = this.#source.firstSeq - 1;
    await this.#sql.begin(async (sql) => {
      await sql.unsafe('drop schema if exists presage_audit cascade');
      await sql.unsafe(TABLES).simple();
      await sql`insert into presage_audit.meta (version, identity, cursor) values (${VERSION}, null, ${cursor})`;
    });
    return cursor;
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

/** Read again after a lost connection, it is the same row. */
async function insertAction(sql: TransactionSql, { seq, record }: NumberedAction): Promise<void> {
  const { timeMs, actor, reason, action } = record;
  await sql`insert into presage_audit.actions (seq, time_ms, actor, kind, subject, reason, action)
    values (${seq}, ${timeMs}, ${actor}, ${action.kind}, ${subjectOf(action)}, ${reason}, ${JSON.stringify(action)})
    on conflict (seq) do nothing`;
}

function subjectOf(action: OperatorAction): string | null {
  if ('marketId' in action) return action.marketId;
  if ('wallet' in action) return action.wallet;
  if ('keyId' in action) return action.keyId;
  return 'categoryId' in action ? action.categoryId : null;
}
