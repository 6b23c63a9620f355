// Whether a node calls itself able to write after a write failed: not because its journal opens again, but because it takes records.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { waitFor } from '@presage/testkit';
import { expect, it, onTestFinished } from 'vitest';
import { FaultyFiles } from '../../../../packages/journal/test/faulty-files.ts';
import { Partitions } from '../../src/host/partitions.ts';

const FAILURE = Object.assign(new Error('EIO: no luck'), { code: 'EIO' });

async function openPartition() {
  const dataDir = await mkdtemp(join(tmpdir(), 'presage-writes-'));
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
  const files = new FaultyFiles();
  /** Whether it called itself able to write in the moment in which it was open again. */
  const reopened: boolean[] = [];
  const partitions = await Partitions.connect({
    config: { dataDir, archiveDays: 0, journalUrl: undefined, leaseSeconds: 5 },
    address: 'http://this',
    disk: { files },
    openDatabase: () => Promise.reject(new Error('no database')),
    nowMs: Date.now,
    onProgress: () => undefined,
    onFatal: () => undefined,
    onWarning: (message) => {
      if (message.includes('writable again')) reopened.push(partitions.isWritable());
    },
  });
  onTestFinished(() => partitions.close());
  const log = await partitions.open('control', 'refuse');
  const append = () => log.append([{ type: 'clock-offset-set', timeMs: 1, offsetSeconds: 1 }]);
  const fail = async () => {
    files.failOnce('datasync', FAILURE);
    await expect(append()).rejects.toMatchObject({ code: 'journal_unavailable' });
  };
  return { partitions, reopened, append, fail };
}

it('stays unable while its journal opens well and takes no records, until one has become durable', async () => {
  const { partitions, reopened, append, fail } = await openPartition();
  await append();
  expect(partitions.isWritable()).toBe(true);
  for (let failures = 1; failures <= 2; failures++) {
    await fail();
    expect(partitions.isWritable()).toBe(false);
    await waitFor('it is open again', () => reopened.length === failures, { timeoutMs: 10_000 });
  }
  expect(reopened).toEqual([false, false]);
  await append();
  expect(partitions.isWritable()).toBe(true);
});

it('is able again after a while in which nobody had anything to write', async () => {
  const { partitions, reopened, fail } = await openPartition();
  await fail();
  await waitFor('it is open again', () => reopened.length === 1, { timeoutMs: 10_000 });
  await waitFor('it calls itself able to write', () => partitions.isWritable(), { timeoutMs: 10_000 });
});
