// Checks which journal the tables in the database were built from, and whether this service may replace them.
import { poll } from '@presage/runtime';
import type { Sql, TransactionSql } from '../store/column-types.ts';
import type { ViewSource } from './batch-feed.ts';
import { ViewAhead, ViewForeign, ViewInUse } from './view-refusals.ts';

/** A partition as recorded in the tables built from it. */
export interface RecordedPlace {
  readonly partition: string;
  /** Version of the tables and of the program that fills them. */
  readonly version: string | undefined;
  /** Hash of the partition's first frame; undefined before anything was read from it. */
  readonly identity: string | undefined;
  readonly cursor: number;
  /** Hash of the frame that holds the cursor; undefined at 0 and in tables of earlier versions. */
  readonly head: string | undefined;
}

export interface ViewOwnerOptions {
  readonly sql: Sql;
  /** Every partition that tables are built from: those of the markets, and `control`. */
  readonly sources: readonly ViewSource[];
  /** Whether the database server is part of the data folder, so that nobody else has tables in it. */
  readonly isPrivate?: boolean;
  /** Whether other services are connected. Absent if nodes share the journal: then its leases decide who writes. */
  readonly hasOthers?: (() => Promise<boolean>) | undefined;
  /** Time to wait for the connections of a killed service, which end when the server has finished their statements. */
  readonly patienceMs?: number;
}

const PATIENCE_MS = 10_000;
/** Serializes services that build or claim tables in the same empty database. */
const CLAIM_LOCK = 'select pg_advisory_xact_lock(0x70726573)';
const CONTROL = 'control';

export class ViewOwner {
  readonly #options: ViewOwnerOptions;
  readonly #sources: ReadonlyMap<string, ViewSource>;
  /** Whether the tables have named this journal since this process started. */
  #wasOurs = false;
  /** Only the first check for other connections waits: a start with many partitions repeats it for each. */
  #isPatient = true;

  constructor(options: ViewOwnerOptions) {
    this.#options = options;
    this.#sources = new Map(options.sources.map((source) => [source.partition, source]));
  }

  /** Throws if view or audit log are of another journal. One matching partition proves the same journal. */
  async assertOurs(sql: Sql | TransactionSql = this.#options.sql): Promise<void> {
    if (this.#options.isPrivate) return;
    const foreign = await this.#findForeign(sql);
    if (foreign !== undefined && !(await this.#mayTakeBack())) throw foreign;
  }

  /** Must be called in a transaction that builds tables or writes the first rows of a partition. */
  async claim(sql: TransactionSql): Promise<void> {
    await sql.unsafe(CLAIM_LOCK);
    await this.assertOurs(sql);
  }

  /** Called when rows of this journal were committed. */
  confirm(): void {
    this.#wasOurs = true;
  }

  /** Throws if another service of the same origin, on a copy of the data folder, is still connected. */
  async assertUnused(reason: string): Promise<void> {
    const { hasOthers, patienceMs = PATIENCE_MS } = this.#options;
    if (hasOthers === undefined) return;
    const timeoutMs = this.#isPatient ? patienceMs : 0;
    const isUnused = await poll(async () => !(await hasOthers()), { timeoutMs });
    this.#isPatient = isUnused !== undefined;
    if (isUnused === undefined) throw new ViewInUse(reason);
  }

  /** Whether the view was this process's own and its new owner is gone. */
  async #mayTakeBack(): Promise<boolean> {
    const { hasOthers } = this.#options;
    return this.#wasOurs && hasOthers !== undefined && !(await hasOthers());
  }

  async #findForeign(sql: Sql | TransactionSql): Promise<ViewForeign | undefined> {
    let foreign: ViewForeign | undefined;
    for (const place of await readPlaces(sql)) {
      const source = this.#sources.get(place.partition);
      if (source === undefined || place.identity === undefined) continue;
      if (source.identity === place.identity) {
        this.#wasOurs = true;
        return undefined;
      }
      if (source.identity === undefined && (await source.readEnd()) > 0) throw new ViewAhead(source, place.cursor);
      foreign ??= new ViewForeign(place.partition, { there: place.identity, here: source.identity });
    }
    return foreign;
  }
}

/** Why the tables cannot be resumed; undefined if they can. Throws if this node first has to catch up with them. */
export async function findObjection(place: RecordedPlace, source: ViewSource): Promise<string | undefined> {
  const { partition, cursor, identity, head } = place;
  if (cursor === 0) return undefined;
  if (source.identity !== undefined && identity !== source.identity) {
    return `the database is of another journal in ${partition}`;
  }
  if (cursor > source.lastSeq) {
    const end = await source.readEnd();
    if (end >= cursor) throw new ViewAhead(source, cursor);
    return `the database is at ${cursor} of ${partition}, the journal ends at ${end}`;
  }
  const hash = head === undefined ? undefined : await source.hashAt(cursor);
  return hash === undefined || hash === head ? undefined : `the journal has another record ${cursor} in ${partition}`;
}

/** Recorded partitions of the view and the audit log, in tables of any version. */
async function readPlaces(sql: Sql | TransactionSql): Promise<RecordedPlace[]> {
  const view = await readMeta(sql, 'presage_view.meta');
  const audit = await readMeta(sql, 'presage_audit.meta');
  return [...view, ...audit.map((place) => ({ ...place, partition: CONTROL }))];
}

/** Empty if the table does not exist. */
export async function readMeta(
  sql: Sql | TransactionSql,
  table: 'presage_view.meta' | 'presage_audit.meta',
): Promise<RecordedPlace[]> {
  const [found] = await sql`select to_regclass(${table}) is not null as exists`;
  if (found?.exists !== true) return [];
  const rows = await sql.unsafe(`select * from ${table}`);
  return rows.map((row) => ({
    partition: toText(row.partition) ?? '',
    version: toText(row.version),
    identity: toText(row.identity),
    cursor: Number(row.cursor ?? 0),
    head: toText(row.head),
  }));
}

function toText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
