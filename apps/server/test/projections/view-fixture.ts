// A database, journals and projectors for a test of the view, all closed when it ends.

import type { JournalRecord } from '@presage/protocol';
import { MemoryJournal, MemoryStorage } from '@presage/testkit';
import { PartitionLog } from '../../src/host/partition-log.ts';
import { Projector, type ProjectorOptions } from '../../src/projections/projector.ts';
import { ViewDatabase } from '../../src/projections/view-database.ts';
import { ViewOwner } from '../../src/projections/view-owner.ts';
import { ViewProjector, type ViewProjectorOptions } from '../../src/projections/view-projector.ts';
import { ViewTables, type ViewTablesOptions } from '../../src/projections/view-tables.ts';
import type { Store } from '../../src/store/open.ts';
import { loadViewSchema } from '../../src/store/schema.ts';
import { openEmptyStore } from '../store/worker-database.ts';

type OneProjectorOptions = Omit<ProjectorOptions, 'target'> &
  Pick<ViewTablesOptions, 'sql' | 'foldHash'> &
  Partial<Pick<ViewTablesOptions, 'schema' | 'onRebuild' | 'owner'>>;

export class ViewFixture {
  readonly #closers: (() => Promise<unknown>)[] = [];

  async openStore(): Promise<Store> {
    const database = await openEmptyStore();
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

  /** The projector of a journal with one partition of markets. */
  openProjector({ source, schema = loadViewSchema(), ...options }: OneProjectorOptions): Projector {
    const sources = [source];
    const { owner = new ViewOwner({ sql: options.sql, sources }) } = options;
    const tables = new ViewTables({ onRebuild: () => undefined, ...options, owner, schema, sources });
    // A statement that fails is tried again and again: the test must say why it waits.
    const onTrouble = (error: unknown) => console.error(error);
    const projector = new Projector({ onTrouble, ...options, source, target: new ViewDatabase(tables, 0) });
    this.#closers.push(() => projector.close());
    return projector;
  }

  openViewProjector(options: Omit<ViewProjectorOptions, 'schema'>): ViewProjector {
    const projector = new ViewProjector({ ...options, schema: loadViewSchema() });
    this.#closers.push(() => projector.close());
    return projector;
  }

  /** What was opened so far. */
  async close(): Promise<void> {
    for (const close of this.#closers.splice(0).reverse()) await close();
  }
}

/** Groups of records, many to a frame, as a busy host appends them. */
export async function appendAll(log: PartitionLog, steps: Iterable<readonly JournalRecord[]>): Promise<void> {
  let pending: Promise<unknown>[] = [];
  for (const records of steps) {
    // Not every step of a random history changes something.
    if (records.length > 0) pending.push(log.append(records));
    if (pending.length < 50) continue;
    await Promise.all(pending);
    pending = [];
  }
  await Promise.all(pending);
}
