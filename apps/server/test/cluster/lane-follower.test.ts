// A lane and its service, each with its end of a real link: commands, pushed frames with receipts, and catching up without a database.
import { verify } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FileJournal, KeptStates, RecordsDeleted } from '@presage/journal';
import { fromHex, receiptText } from '@presage/protocol';
import { openPublicKey, openSigningKey } from '@presage/protocol/ed25519';
import { createOrderBuilders, ManualClock, marketFacts, waitFor } from '@presage/testkit';
import { expect, it, onTestFinished, vi } from 'vitest';
import type { Cluster } from '../../src/cluster/cluster.ts';
import { openCluster } from '../../src/cluster/open.ts';
import { OwnerFrames } from '../../src/cluster/owner-frames.ts';
import { Host } from '../../src/host/host.ts';
import { PartitionLog } from '../../src/host/partition-log.ts';
import type { FollowEvents } from '../../src/host/ports.ts';
import { Receipts } from '../../src/proof/receipts.ts';

const clock = new ManualClock();
const nowMs = () => clock.nowMs;
const traders = createOrderBuilders(clock);
const KEY = '22'.repeat(32);
const receipts = new Receipts(openSigningKey(KEY));
const cluster = { secret: 'the secret of a test', host: '127.0.0.1', port: 0 };
const shared = { cluster, leaseSeconds: 3, journalUrl: undefined };
const onFatal = (error: unknown) => {
  throw error;
};
const onWarning = () => undefined;
const openDatabase = () => Promise.reject(new Error('there is no database'));

/** A service that owns m0 in files, of small segments. */
async function openService(wanted: { imageEvery?: number; checkpointEvery?: number; archiveDays?: number } = {}) {
  const dataDir = await mkdtemp(join(tmpdir(), 'presage-lane-'));
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
  const journalDir = join(dataDir, 'journal');
  const sizes = { segmentBytes: 16_384, growBytes: 16_384 };
  const retention = wanted.archiveDays === undefined ? undefined : { keptMs: 0, neededFromSeq: () => 1_000_000 };
  const journal = await FileJournal.open({
    ...{ dir: join(journalDir, 'm0'), partition: 'm0', archive: true, retention, onSealed: receipts.prepare },
    ...sizes,
  });
  const log = await PartitionLog.open({ journal, nowMs, onFatal });
  const { imageEvery = 1_000_000, checkpointEvery = 1_000_000 } = wanted;
  const host = await Host.open({ log, nowMs, imageEvery, checkpointEvery });
  onTestFinished(async () => {
    await host.close();
    await log.close();
  });
  const config = { ...shared, roles: ['gateway', 'engine', 'settler'] as const };
  const common = { openDatabase, onWarning, receiptKey: receipts.publicKey, sign: receipts.signatureOf };
  const service = await openCluster({ ...common, config, address: 'http://service' });
  onTestFinished(() => service.close());
  service.serve({ log, host });
  await host.submit({ type: 'list-market', market: marketFacts() });
  return { service, host, log, journal, journalDir };
}

async function openLane(service: Cluster, journalDir: string, events: Pick<FollowEvents, 'onFatal'> = { onFatal }) {
  const place = { linkAddress: service.linkAddress!, address: 'http://service', journalDir };
  const config = { ...shared, roles: ['gateway'] as const, lane: { index: 1, of: 2, ...place } };
  const lane = await openCluster({
    config,
    address: 'http://lane',
    openDatabase,
    onWarning,
    receiptKey: receipts.publicKey,
  });
  onTestFinished(() => lane.close());
  const followed = await lane.follow('m0', events);
  onTestFinished(() => followed.close());
  const host = await followed.openHost({ log: followed.log, nowMs });
  host.start();
  return { lane, followed, host };
}

const sell = () => traders.aliceSellsYes({ price: '0.6', size: '1' });

it('a lane shows what the service decides and answers with receipts that the service has signed', async () => {
  const { service, journalDir, host: owner } = await openService();
  const { lane, host } = await openLane(service, journalDir);
  expect(lane.gatewayCount()).toBe(2);
  expect(lane.owns('m0')).toBe(false);
  const answers = await Promise.all(Array.from({ length: 20 }, () => host.run(sell())));
  expect(host.reads.openOrders({})).toHaveLength(20);
  expect(host.reads.bookHash(marketFacts().marketId)).toEqual(owner.reads.bookHash(marketFacts().marketId));
  const publicKey = openPublicKey(openSigningKey(KEY).publicKeyHex);
  for (const { frame, firstSeq } of answers) {
    // A process with another key tells whose signature it is.
    const receipt = new Receipts(openSigningKey('33'.repeat(32))).receiptOf(frame!, firstSeq);
    expect(verify(null, Buffer.from(receiptText(receipt)), publicKey, fromHex(receipt.signature))).toBe(true);
  }
});

it.each([
  ['an image of memory', { imageEvery: 50 }, [1, 0]],
  ['a checkpoint', { checkpointEvery: 50 }, [0, 1]],
  ['nothing but records', {}, [0, 0]],
] as const)(
  'a lane that starts late has the books of its service from %s',
  async (_what, wanted, [images, checkpoints]) => {
    const { service, journalDir, host: owner, log } = await openService(wanted);
    for (let n = 0; n < 30; n++) await owner.submitAll(Array.from({ length: 10 }, sell));
    await waitFor('it is written', async () => {
      const { checkpoint } = await log.readCheckpoint();
      return (
        Number((await log.readMemory()) !== undefined) === images && Number(checkpoint !== undefined) === checkpoints
      );
    });
    const { host, followed } = await openLane(service, journalDir);
    expect(followed.log.identity).toBe(log.identity);
    await owner.submitAll(Array.from({ length: 10 }, sell));
    await followed.log.reachedWithin(log.lastSeq, 60_000);
    expect(host.reads.openOrders({})).toHaveLength(310);
    expect(host.reads.bookHash(marketFacts().marketId)).toEqual(owner.reads.bookHash(marketFacts().marketId));
    const frames: number[] = [];
    for await (const { firstSeq, lastSeq } of followed.log.readFrames(1)) frames.push(firstSeq, lastSeq);
    expect(frames[0]).toBe(1);
    expect(frames.at(-1)).toBe(log.lastSeq);
  },
);

it('a lane reads on where it was cut off, and misses nothing that was too large to be sent', async () => {
  const { service, journalDir, host: owner, log } = await openService();
  const { host, followed } = await openLane(service, journalDir);
  // One frame of more than a page: it is asked for.
  await owner.submitAll(Array.from({ length: 6_000 }, sell));
  await followed.log.reachedWithin(log.lastSeq, 60_000);
  expect(host.reads.openOrders({})).toHaveLength(6_000);
});

it('says where the journal begins whose oldest segments were deleted', async () => {
  const { service, journalDir, host: owner, log } = await openService({ archiveDays: 0, checkpointEvery: 60 });
  for (let n = 0; n < 40 && log.firstSeq === 1; n++) {
    await owner.submitAll(Array.from({ length: 10 }, sell));
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  expect(log.firstSeq).toBeGreaterThan(1);
  const { host, followed } = await openLane(service, journalDir);
  await waitFor('the lane was told where it begins', () => followed.log.firstSeq === log.firstSeq);
  expect(host.reads.openOrders({})).toHaveLength(owner.reads.openOrders({}).length);
  await expect(followed.log.readFrames(1)[Symbol.asyncIterator]().next()).rejects.toBeInstanceOf(RecordsDeleted);
});

it('says so too of records that were deleted since the owner was last asked', async () => {
  const ask = async (method: string) => {
    if (method === 'read-frames') throw new Error('Records 1 to 40 of m0 were deleted with their archive.');
    return { firstSeq: 41, lastSeq: 50, identity: undefined, isWritable: true };
  };
  const frames = new OwnerFrames({ partition: 'm0', ask, states: new KeptStates({ dir: 'none', partition: 'm0' }) });
  await expect(frames.readFrames(1, 50).next()).rejects.toMatchObject({ name: RecordsDeleted.name, firstSeq: 41 });
});

it('a lane knows that its service cannot write, which makes it unready, too', async () => {
  const { service, journalDir, log } = await openService();
  const { lane } = await openLane(service, journalDir);
  expect(lane.isOwnerWritable()).toBe(true);
  const writable = vi.spyOn(log, 'assertWritable').mockImplementation(() => {
    throw new Error('the disk is broken');
  });
  await waitFor('the lane knows', () => !lane.isOwnerWritable(), { timeoutMs: 10_000 });
  writable.mockRestore();
  await waitFor('the lane knows that it can again', () => lane.isOwnerWritable(), { timeoutMs: 10_000 });
});

it('a lane that is sent a record it cannot read ends, rather than show the next ones without it', async () => {
  const { service, journalDir, journal } = await openService();
  const errors: unknown[] = [];
  await openLane(service, journalDir, { onFatal: (error) => void errors.push(error) });
  // Written by a newer version.
  await journal.append([Buffer.from('{"v":99,"type":"market-listed"}')], nowMs());
  await waitFor('it is told', () => errors.length > 0, { timeoutMs: 10_000 });
  expect(String(errors[0])).toContain('a record of version 99 was written by a newer program');
});
