// A real PostgreSQL for the tests of one file, and a fresh database and journal for each of them.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MemoryJournal, MemoryStorage } from '@presage/journal';
import type { JournalRecord } from '@presage/protocol';
import { PartitionLog } from '../../src/host/partition-log.ts';
import { Projector, type ProjectorOptions } from '../../src/projections/projector.ts';
import { ViewDatabase } from '../../src/projections/view-database.ts';
import { ViewProjector, type ViewProjectorOptions } from '../../src/projections/view-projector.ts';
import { ViewTables, type ViewTablesOptions } from '../../src/projections/view-tables.ts';
import { openStore, type Store } from '../../src/store/open.ts';
import { loadViewSchema } from '../../src/store/schema.ts';

type OneProjectorOptions = Omit<ProjectorOptions, 'target'> &
  Pick<ViewTablesOptions, 'sql' | 'foldHash'> &
  Partial<Pick<ViewTablesOptions, 'schema' | 'onRebuild'>>;

export class ViewFixture {
  readonly #dataDir: string;
  readonly #server: Store;
  readonly #closers: (() => Promise<unknown>)[] = [];
  #count = 0;

  private constructor(dataDir: string, server: Store) {
    this.#dataDir = dataDir;
    this.#server = server;
  }

  static async open(): Promise<ViewFixture> {
    const dataDir = await mkdtemp(join(tmpdir(), 'presage-view-'));
    return new ViewFixture(dataDir, await openStore({ dataDir }));
  }

  async openStore(): Promise<Store> {
    const name = `view_${++this.#count}`;
    await this.#server.sql.unsafe(`create database ${name}`);
    const url = new URL(this.#server.url);
    url.pathname = name;
    const database = await openStore({ databaseUrl: url.href, dataDir: this.#dataDir, poolSize: 4 });
    this.#closers.push(() => database.close());
    return database;
  }

  async openLog(storage = new MemoryStorage('m0')): Promise<PartitionLog> {
    const journal = await MemoryJournal.open({ storage, takeOver: true });
    const log = await PartitionLog.open({
      journal,
      nowMs: () => 0,
      onFatal: (error) => {
        throw error;
      },
    });
    this.#closers.push(() => log.close());
    return log;
  }

  /** Of a journal with one partition of markets. */
  openProjector({ source, schema = loadViewSchema(), ...options }: OneProjectorOptions): Projector {
    const tables = new ViewTables({ onRebuild: () => undefined, ...options, schema, sources: [source] });
    const projector = new Projector({ ...options, source, target: new ViewDatabase(tables, 0) });
    this.#closers.push(() => projector.close());
    return projector;
  }

  openViewProjector(options: Omit<ViewProjectorOptions, 'schema'>): ViewProjector {
    const projector = new ViewProjector({ ...options, schema: loadViewSchema() });
    this.#closers.push(() => projector.close());
    return projector;
  }

  /** What one test opened; the server stays. */
  async closeAll(): Promise<void> {
    for (const close of this.#closers.splice(0).reverse()) await close();
  }

  async close(): Promise<void> {
    await this.closeAll();
    await this.#server.close();
    await rm(this.#dataDir, { recursive: true, force: true });
  }
}

/** Groups of records, many to a frame, as a busy host appends them. */
export async function appendAll(log: PartitionLog, steps: Iterable<readonly JournalRecord[]>): Promise<void> {
  let pending: Promise<unknown>[] = [];
  for (const records of steps) {
    pending.push(log.append(records));
    if (pending.length < 50) continue;
    await Promise.all(pending);
    pending = [];
  }
  await Promise.all(pending);
}
