// How fast the view catches up: from the files of a long journal into the embedded PostgreSQL.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FileJournal } from '@presage/journal';
import { type Measurement, perSecond } from '../../../bench/measurement.ts';
import { PartitionLog } from '../src/host/partition-log.ts';
import { openStore } from '../src/store/open.ts';
import { RandomHistory } from '../test/projections/random-history.ts';
import { appendAll, ViewFixture } from '../test/projections/view-fixture.ts';

const SHAPE = { seed: 51, wallets: 1_000, failures: 0.01, syncs: 0.01 };
const ORDERS_A_MARKET = 500;

/**
 * Measures a process that has just started, and the journal of a longer life: the first three chunks are read and
 * folded by code that V8 has not compiled yet, with little else to overlap.
 *
 * @public Called by `bench/modules.ts`, by the path of this file.
 */
export async function measure(): Promise<Measurement[]> {
  return [await measureRebuild('view.rate', 25_000), await measureRebuild('view.rate.long', 250_000)];
}

async function measureRebuild(key: string, orders: number): Promise<Measurement> {
  const dir = await mkdtemp(join(tmpdir(), 'presage-bench-'));
  const store = await openStore({ dataDir: join(dir, 'service') });
  const fixture = new ViewFixture();
  try {
    const source = await openLog(dir);
    const markets = orders / ORDERS_A_MARKET;
    await appendAll(source, new RandomHistory({ ...SHAPE, orders, markets }).steps());
    const projector = fixture.openProjector({ source, sql: store.sql });
    const cpu = process.cpuUsage();
    const startMs = performance.now();
    await projector.start();
    const ms = performance.now() - startMs;
    const { user, system } = process.cpuUsage(cpu);
    const records = source.lastSeq;
    await fixture.close();
    await source.close();
    const load = `${records.toLocaleString('en')} records of ${orders.toLocaleString('en')} orders, ${markets} markets`;
    const cost = `${((user + system) / records).toFixed(1)} us of our own processor time a record`;
    const conditions = `${load}: ${perSecond(records, ms)}, ${cost}; the rest is PostgreSQL's`;
    return { key, value: (records / ms) * 1_000, conditions };
  } finally {
    await fixture.close();
    await store.close();
    await rm(dir, { recursive: true, force: true });
  }
}

async function openLog(dir: string): Promise<PartitionLog> {
  const journal = await FileJournal.open({ dir, partition: 'm0' });
  const onFatal = (error: unknown) => {
    throw error;
  };
  return PartitionLog.open({ journal, nowMs: () => 0, onFatal });
}
