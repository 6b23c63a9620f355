// A partition whose opening fails after its lease was taken, in a real PostgreSQL: the lease is given back, for this node and for others.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedPostgres } from '@presage/embedded-postgres';
import { ConnectionLost, type JournalDatabase, readLeases } from '@presage/journal';
import { expect, it, onTestFinished } from 'vitest';
import { Partitions } from '../../src/host/partitions.ts';
import { openJournalDatabase } from '../../src/store/journal-database.ts';

it('a partition whose lease was taken before the database was lost is free at once', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'presage-opening-'));
  const server = await EmbeddedPostgres.open({ dataDir });
  const opened = await openJournalDatabase(server.url);
  onTestFinished(async () => {
    await opened.close();
    await server.close();
    await rm(dataDir, { recursive: true, force: true });
  });
  let losses = 1;
  const database: JournalDatabase = {
    query: (statement, parameters) => {
      // The first question after the lease was taken and the end of the journal was read.
      if (statement.startsWith('select hash from journal_frames') && losses-- > 0)
        return Promise.reject(new ConnectionLost(new Error('connection reset')));
      return opened.database.query(statement, parameters);
    },
  };
  const partitions = await Partitions.connect({
    config: { journalUrl: server.url, dataDir, leaseSeconds: 60, archiveDays: 0 },
    address: 'http://node',
    openDatabase: async () => ({ database, warnings: [], close: async () => undefined }),
    nowMs: Date.now,
    onFatal: (error) => {
      throw error;
    },
    onProgress: () => undefined,
    onWarning: () => undefined,
  });
  onTestFinished(() => partitions.close());
  await expect(partitions.open('control', 'refuse')).rejects.toBeInstanceOf(ConnectionLost);
  expect(await readLeases(opened.database)).toMatchObject([{ partition: 'control', heldMs: 0 }]);
  const log = await partitions.open('control', 'refuse');
  expect(log.partition).toBe('control');
});
