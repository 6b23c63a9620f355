// An engine with its partitions, put together as a node that only decides puts them together, on a real database.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConnectionLost } from '@presage/journal';
import type { JournalRecord } from '@presage/protocol';
import { marketFacts, SILENT_LOG, TRADERS, waitFor } from '@presage/testkit';
import { expect, it, onTestFinished, vi } from 'vitest';
import { ServiceClock } from '../../src/clock.ts';
import { openCluster, openEngineSeats } from '../../src/cluster/open.ts';
import { Host } from '../../src/host/host.ts';
import { PartitionLog } from '../../src/host/partition-log.ts';
import { openJournalDatabase } from '../../src/store/journal-database.ts';
import { openEmptyStore } from '../store/worker-database.ts';

async function openDatabase() {
  const store = await openEmptyStore();
  onTestFinished(() => store.close());
  return store.url;
}

/** An engine that owns all of its partitions; `fatal` has why it must end. */
async function openEngine(journalUrl: string, partitions: number) {
  const dataDir = await mkdtemp(join(tmpdir(), 'presage-engine-'));
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
  const settings = { secret: 'the secret of a test', host: '127.0.0.1', port: 0 };
  const config = { roles: ['engine'] as const, cluster: settings, journalUrl, leaseSeconds: 2, dataDir, partitions };
  const address = 'http://engine';
  const place = { config, address, openDatabase: openJournalDatabase, receiptKey: '0x11' };
  const cluster = await openCluster({ ...place, onWarning: () => undefined });
  onTestFinished(() => cluster.close());
  const fatal: string[] = [];
  const onFatal = (error: unknown) => void fatal.push(String(error));
  const ports = { clock: new ServiceClock(), log: SILENT_LOG, onDecided: () => undefined, onFatal };
  const seats = await openEngineSeats({ config, cluster, address, ...ports });
  onTestFinished(() => seats.close());
  await waitFor('it owns its partitions', () => seats.owned.length === partitions + 1, { timeoutMs: 30_000 });
  const note = (record: JournalRecord) =>
    cluster.ask({ partition: 'control', method: 'append', body: { records: [record] }, appliedSeq: 0 });
  return { cluster, note, fatal };
}

it('cancels the orders of an expired switch without a search of the journal after it got no answer', async () => {
  const { cluster, note } = await openEngine(await openDatabase(), 1);
  const command = { type: 'list-market', market: marketFacts() } as const;
  await cluster.ask({ partition: 'm0', method: 'run', body: { command }, appliedSeq: 0 });
  const run = vi.spyOn(Host.prototype, 'runWhole').mockRejectedValueOnce(new ConnectionLost('cut'));
  const read = vi.spyOn(PartitionLog.prototype, 'read');
  onTestFinished(() => void vi.restoreAllMocks());
  await note({ type: 'heartbeat-set', timeMs: Date.now(), trader: TRADERS.alice, lapseMs: 1 });
  await waitFor('it was asked again', () => run.mock.results.length > 1, { timeoutMs: 10_000 });
  expect(read).not.toHaveBeenCalled();
});

it('ends where the markets are spread over another number of partitions than it is set to, and does not start again', async () => {
  const url = await openDatabase();
  const why = 'spread over 2 partition(s), PRESAGE_PARTITIONS asks for 1: set PRESAGE_PARTITIONS=2';
  const { note, fatal } = await openEngine(url, 1);
  // What the first gateway writes.
  await note({ type: 'partitions-set', timeMs: Date.now(), count: 2 });
  await waitFor('it must end', () => fatal.length > 0, { timeoutMs: 10_000 });
  expect(fatal[0]).toContain(why);
  await expect(openEngine(url, 1)).rejects.toThrow(why);
});
