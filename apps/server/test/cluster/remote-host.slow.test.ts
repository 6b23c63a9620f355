// A partition that another node owns, over a real link and a real PostgreSQL: answered once, shown here, and handed on without a loss.
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedPostgres } from '@presage/embedded-postgres';
import { copyJournal, FileJournal, listPartitions, NodeTable, PostgresJournal } from '@presage/journal';
import type { TokenUsed } from '@presage/protocol';
import { sleep } from '@presage/runtime';
import {
  createOrderBuilders,
  ManualClock,
  marketFacts,
  SILENT_LOG,
  TEST_MARKET,
  TRADERS,
  waitFor,
} from '@presage/testkit';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Cluster } from '../../src/cluster/cluster.ts';
import { EngineSeats } from '../../src/cluster/engine-seats.ts';
import { FollowedPartition } from '../../src/cluster/followed-partition.ts';
import { Link } from '../../src/cluster/link.ts';
import { openCluster } from '../../src/cluster/open.ts';
import type { DecidedAt } from '../../src/cluster/ports.ts';
import { RemoteHost } from '../../src/cluster/remote-host.ts';
import type { Role } from '../../src/config.ts';
import { Host } from '../../src/host/host.ts';
import { PartitionLog } from '../../src/host/partition-log.ts';
import type { AtomicOutcome } from '../../src/host/ports.ts';
import { openJournalDatabase } from '../../src/store/journal-database.ts';

const SECRET = 'the secret of a test';
const KEY = '0x11';
const LEASE_SECONDS = 3;
const clock = new ManualClock();
const traders = createOrderBuilders(clock);
const nowMs = () => clock.nowMs;
const onFatal = (error: unknown) => {
  throw error;
};
const onWarning = () => undefined;
let dataDir: string;
let server: EmbeddedPostgres;
let nodes = 0;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'presage-remote-'));
  server = await EmbeddedPostgres.open({ dataDir });
});
afterAll(async () => {
  await server?.close();
  await rm(dataDir, { recursive: true, force: true });
});

async function joinAs(role: Role): Promise<Cluster & { readonly name: string }> {
  const address = `http://node-${++nodes}`;
  const settings = { secret: SECRET, host: '127.0.0.1', port: 0 };
  const config = { roles: [role], cluster: settings, journalUrl: server.url, leaseSeconds: LEASE_SECONDS };
  const cluster = await openCluster({ config, address, openDatabase: openJournalDatabase, onWarning, receiptKey: KEY });
  if (cluster === undefined) throw new Error('no cluster');
  onTestFinished(() => cluster.close());
  return Object.assign(cluster, { name: address });
}

async function startEngine(partitions: readonly string[]) {
  const cluster = await joinAs('engine');
  const said: string[] = [];
  const say = (_: object, message: string) => void said.push(message);
  const seats = new EngineSeats({
    peers: cluster,
    address: cluster.name,
    leaseMs: LEASE_SECONDS * 1_000,
    dataDir: join(dataDir, cluster.name.slice(7)),
    partitions,
    nowMs,
    onDecided: () => undefined,
    onControl: () => undefined,
    log: { ...SILENT_LOG, info: say, warn: say, error: say },
  });
  seats.start();
  onTestFinished(() => seats.close());
  return { cluster, seats, said };
}

async function follow(gateway: Cluster, partition: string): Promise<FollowedPartition> {
  const followed = await FollowedPartition.open({ partition, owners: gateway, onFatal });
  onTestFinished(() => followed.close());
  return followed;
}

async function openRemote(partition: string): Promise<RemoteHost> {
  const gateway = await joinAs('gateway');
  const followed = await follow(gateway, partition);
  const host = await RemoteHost.open({ log: followed.log, ask: gateway.ask, onStart: () => followed.start() });
  host.start();
  return host;
}

describe('a partition of another node', () => {
  it('an order is decided there, and readable here when it is answered, at any gateway soon after', async () => {
    await startEngine(['control', 'm0']);
    const [near, far] = [await openRemote('m0'), await openRemote('m0')];
    await near.submit({ type: 'list-market', market: marketFacts() });
    expect(near.reads.market(TEST_MARKET)?.status).toBe('open');
    const { outputs, frame } = await near.run(traders.aliceSellsYes({ price: '0.6', size: '10' }));
    expect(outputs.map(({ type }) => type)).toEqual(['order-accepted']);
    expect(frame?.partition).toBe('m0');
    await near.run(traders.bobBuysYes({ price: '0.6', size: '4' }));
    expect(near.reads.openOrders({ trader: TRADERS.alice })).toHaveLength(1);
    const head = near.durableSeq;
    await waitFor('the other gateway has it', () => far.durableSeq === head);
    expect(far.reads.stateHash()).toBe(near.reads.stateHash());
  });

  it('an atomic batch is placed there whole or not at all, and answered alike when it is asked for again', async () => {
    await startEngine(['control', 'm9']);
    const host = await openRemote('m9');
    await host.submit({ type: 'list-market', market: marketFacts() });
    const rest = (price: string) => traders.aliceSellsYes({ price, size: '1', postOnly: true });
    const take = (price: string) => traders.bobBuysYes({ price, size: '1', timeInForce: 'FOK' });
    const refused = await host.runAtomic([rest('0.6'), take('0.5')]);
    expect(refused).toMatchObject({ outcome: 'refused', index: 1, refusal: { code: 'fok_not_filled' } });
    expect(host.reads.openOrders({})).toEqual([]);
    const batch = [rest('0.6'), rest('0.7')];
    const hashesOf = (outcome: AtomicOutcome) =>
      outcome.outcome === 'placed' ? outcome.decided.map(({ frame }) => frame?.hash) : [];
    const hashes = hashesOf(await host.runAtomic(batch));
    expect([hashes.length, new Set(hashes).size]).toEqual([2, 1]);
    expect(hashesOf(await host.runAtomic(batch))).toEqual([undefined, undefined]);
    expect(host.reads.openOrders({})).toHaveLength(2);
  });

  it('a refusal comes back as one, and a whole list of commands in one message', async () => {
    await startEngine(['control', 'm1']);
    const host = await openRemote('m1');
    await host.submit({ type: 'list-market', market: marketFacts() });
    const [refused] = await host.submit({ type: 'list-market', market: marketFacts() });
    expect(refused).toMatchObject({ type: 'command-refused', code: 'market_already_listed' });
    const outputs = await host.submitAll([
      traders.aliceSellsYes({ price: '0.6', size: '1' }),
      traders.aliceSellsYes({ price: '0.7', size: '1' }),
    ]);
    expect(outputs.filter(({ type }) => type === 'order-accepted')).toHaveLength(2);
    const { outputs: cancelled } = await host.runWhole({
      type: 'cancel-orders',
      trader: TRADERS.alice,
      reason: 'user',
    });
    expect(cancelled).toHaveLength(2);
    expect(host.reads.openOrders({ trader: TRADERS.alice })).toHaveLength(0);
  });

  it('a cancellation whose answer was lost is answered again as what it was, by its journal', async () => {
    const { cluster } = await startEngine(['control', 'm2']);
    const host = await openRemote('m2');
    await host.submit({ type: 'list-market', market: marketFacts() });
    const order = traders.aliceSellsYes({ price: '0.6', size: '1' });
    await host.run(order);
    const command = {
      type: 'cancel-order',
      marketId: TEST_MARKET,
      orderHash: order.orderHash,
      reason: 'user',
    } as const;
    const retryFromSeq = host.durableSeq;
    const { outputs } = await host.run({ ...command });
    const owner = await waitFor('the owner is known', () => cluster.directory.ownerOf('m2'));
    const { linkAddress } = owner.node;
    const link = new Link({ secret: SECRET, receiptKey: KEY, node: 'http://again', address: linkAddress });
    onTestFinished(() => link.close());
    await link.connected(5_000);
    const again = (await link.request('run', { partition: 'm2', id: 'x', command, retryFromSeq })) as DecidedAt;
    expect(again.outputs).toEqual(outputs);
    const fresh = (await link.request('run', { partition: 'm2', id: 'y', command: { ...command } })) as DecidedAt;
    expect(fresh.outputs[0]).toMatchObject({ type: 'command-refused', code: 'order_not_open' });
  });

  it('of several gateways that use one token at the same time one is answered, also when all of them had to ask again', async () => {
    const gateways = await Promise.all(Array.from({ length: 5 }, () => joinAs('gateway')));
    const logs = await Promise.all(gateways.map((gateway) => follow(gateway, 'control')));
    for (const log of logs) log.start();
    const used: TokenUsed = {
      type: 'token-used',
      timeMs: Date.now(),
      keyId: 'k',
      nonce: randomBytes(16).toString('hex'),
      issuedAt: 1_900_000_000,
    };
    // Nobody owns it yet, and they come back one after another: none may take what another one wrote for its own.
    const asking = logs.map(async ({ log }, index) => {
      await sleep(index * 15);
      return log.append([used]);
    });
    await startEngine(['control']);
    const asked = await Promise.allSettled(asking);
    const refusals = asked.flatMap((each) => (each.status === 'rejected' ? [each.reason.code] : []));
    expect(refusals).toEqual(Array.from({ length: 4 }, () => 'token_already_used'));
  });

  it('a partition that is handed to an engine that joins, and back by one that stops, answers every order that is sent meanwhile, once and in order', async () => {
    const partitions = ['m3', 'm4'];
    const { seats, said } = await startEngine(partitions);
    const host = await openRemote('m4');
    await host.submit({ type: 'list-market', market: marketFacts() });
    await waitFor('the first has both', () => seats.owned.length === 2);
    let isDone = false;
    const answered: string[] = [];
    let [lastMs, gapMs] = [performance.now(), 0];
    const trading = (async () => {
      while (!isDone) {
        const order = traders.aliceSellsYes({ price: '0.6', size: '1' });
        await host.run(order);
        gapMs = Math.max(gapMs, performance.now() - lastMs);
        lastMs = performance.now();
        answered.push(order.orderHash);
      }
    })();
    const more = async () => {
      const before = answered.length;
      await waitFor('more orders are answered', () => answered.length > before + 20);
    };
    /** The longest time without an answer since the last time it was asked for. */
    const longestGap = () => {
      const longest = Math.round(gapMs);
      gapMs = 0;
      return longest;
    };
    await more();
    const usualMs = longestGap();
    const { seats: joined, said: saidThere } = await startEngine(partitions);
    await waitFor('it has its share', () => joined.owned.length === 1);
    await more();
    const thereMs = longestGap();
    expect(seats.owned).toEqual(['m3']);
    await joined.close();
    await more();
    console.info({ answered: answered.length, longestGapsMs: { usualMs, thereMs, backMs: longestGap() } });
    console.info([...said, ...saidThere].filter((line) => line.startsWith('handed')));
    isDone = true;
    await trading;
    expect(seats.owned).toEqual(partitions);
    expect([...said, ...saidThere].filter((line) => /^(handed m4|gives|could not)/.test(line))).toHaveLength(2);
    const placed = [...host.reads.openOrders({ trader: TRADERS.alice })].map(({ signed }) => signed.orderHash);
    expect(placed.toSorted()).toEqual(answered.toSorted());
  });

  it('what a single machine had is decided on by a cluster, and again by a single machine, with an equal state and nothing lost', async () => {
    const [dir, dirAgain] = [join(dataDir, 'alone'), join(dataDir, 'alone-again')];
    const openFiles = (at: string) => FileJournal.open({ dir: at, partition: 'm6' });
    const openDatabase = async () => {
      const { database, close } = await openJournalDatabase(server.url);
      onTestFinished(close);
      return PostgresJournal.open({ database, partition: 'm6', address: 'a copy' });
    };
    const openAlone = async (at: string) => {
      const log = await PartitionLog.open({ journal: await openFiles(at), nowMs, onFatal });
      return { log, host: await Host.open({ log, nowMs }) };
    };
    const { log, host } = await openAlone(dir);
    await host.submit({ type: 'list-market', market: marketFacts() });
    for (const price of ['0.6', '0.7']) await host.submit(traders.aliceSellsYes({ price, size: '10' }));
    await host.submit(traders.bobBuysYes({ price: '0.6', size: '4' }));
    const alone = host.reads.stateHash();
    await host.close();
    await log.close();
    const [from, to] = [await openFiles(dir), await openDatabase()];
    await copyJournal(from, to);
    await Promise.all([from.close(), to.close()]);

    const { seats } = await startEngine(['control', 'm6']);
    const remote = await openRemote('m6');
    await waitFor('an engine has it', () => seats.owned.includes('m6'));
    expect(remote.reads.stateHash()).toBe(alone);
    await remote.submit(traders.bobBuysYes({ price: '0.7', size: '1' }));
    const clustered = remote.reads.stateHash();
    await seats.close();

    const [source, target] = [await openDatabase(), await openFiles(dirAgain)];
    await copyJournal(source, target);
    const { lastSeq, headHash } = source;
    expect([target.lastSeq, target.headHash]).toEqual([lastSeq, headHash]);
    await Promise.all([source.close(), target.close()]);
    const again = await openAlone(dirAgain);
    expect(again.host.reads.stateHash()).toBe(clustered);
    expect(again.host.reads.openOrders({ trader: TRADERS.alice })).toHaveLength(2);
    await again.host.close();
    await again.log.close();
  });

  it('any number of nodes may make their first start on an empty database at the same time', async () => {
    const { database, close } = await openJournalDatabase(server.url);
    onTestFinished(close);
    for (const name of ['first_a', 'first_b', 'first_c']) {
      await database.query(`create database ${name}`, []);
      const url = new URL(server.url);
      url.pathname = name;
      const opened = await Promise.all(Array.from({ length: 6 }, () => openJournalDatabase(url.href)));
      for (const each of opened) onTestFinished(each.close);
      const tables = await Promise.all(opened.map((each) => NodeTable.open(each.database)));
      const partitions = await Promise.all(opened.map((each) => listPartitions(each.database)));
      expect([tables.length, ...partitions.flat()]).toEqual([6]);
    }
  });

  it('a follower stands by and an owner halts while another history answers: neither ends, and both go on when theirs is back', async () => {
    const { database, close } = await openJournalDatabase(server.url);
    onTestFinished(close);
    const { seats, said } = await startEngine(['control', 'm7']);
    const gateway = await joinAs('gateway');
    const differences: string[] = [];
    const onDiffers = ({ reason }: { readonly reason: string }) => void differences.push(reason);
    const followed = await FollowedPartition.open({ partition: 'm7', owners: gateway, onFatal, onDiffers });
    onTestFinished(() => followed.close());
    const host = await RemoteHost.open({ log: followed.log, ask: followed.ask, onStart: () => followed.start() });
    host.start();
    await host.submit({ type: 'list-market', market: marketFacts() });
    await host.run(traders.aliceSellsYes({ price: '0.6', size: '1' }));
    const shown = host.reads.stateHash();
    const rename = (from: string, to: string) =>
      database.query('update journal_frames set part = $2 where part = $1 and first_seq > 1', [from, to]);
    // As at a server that was promoted without the last frames, where somebody may have written others.
    await rename('m7', 'm7-kept');
    await waitFor('it stands by', () => followed.isCutOff);
    expect(differences).toEqual([expect.stringContaining('was seen here and is not there any more')]);
    await expect(host.run(traders.bobBuysYes({ price: '0.6', size: '1' }))).rejects.toMatchObject({
      code: 'partition_unavailable',
    });
    expect(host.reads.stateHash()).toBe(shown);
    // Its owner may not write on it either, and says so.
    const owner = await waitFor('the owner is known', () => gateway.directory.ownerOf('m7'));
    const link = new Link({ secret: SECRET, receiptKey: KEY, node: 'http://else', address: owner.node.linkAddress });
    onTestFinished(() => link.close());
    await link.connected(5_000);
    const command = traders.bobBuysYes({ price: '0.5', size: '1' });
    await expect(link.request('run', { partition: 'm7', id: 'z', command })).rejects.toThrow();
    await waitFor('it is halted', () => seats.halted.includes('m7'));
    expect(said.join()).toContain('acknowledged records are missing');
    await rename('m7-kept', 'm7');
    await waitFor('it goes on', () => !followed.isCutOff);
    await waitFor('the engine has it', () => seats.owned.includes('m7'));
    expect(seats.halted).toEqual([]);
    const { outputs } = await host.run(traders.bobBuysYes({ price: '0.6', size: '1' }));
    expect(outputs.map(({ type }) => type)).toContain('trade-matched');
  });

  it('an owner that halted is sound again when its history is back, also where another node has the partition by then', async () => {
    const { database, close } = await openJournalDatabase(server.url);
    onTestFinished(close);
    const { seats } = await startEngine(['control', 'm8']);
    const host = await openRemote('m8');
    await host.submit({ type: 'list-market', market: marketFacts() });
    await host.run(traders.aliceSellsYes({ price: '0.6', size: '1' }));
    const rename = (from: string, to: string) =>
      database.query('update journal_frames set part = $2 where part = $1 and first_seq > 1', [from, to]);
    await rename('m8', 'm8-kept');
    host.run(traders.bobBuysYes({ price: '0.6', size: '1' })).catch(() => undefined);
    await waitFor('it is halted', () => seats.halted.includes('m8'), { timeoutMs: 20_000 });
    const take = () =>
      PostgresJournal.open({ database, partition: 'm8', address: 'http://else' }).catch(() => undefined);
    const taken = await waitFor('another node has it', take);
    onTestFinished(() => taken.close());
    await rename('m8-kept', 'm8');
    await waitFor('it is sound again', () => seats.halted.length === 0);
    expect(seats.owned).not.toContain('m8');
  });

  it('a sequence that nobody has written is not waited for without end', async () => {
    const followed = await follow(await joinAs('gateway'), 'm0');
    expect(await followed.log.reachedWithin(1_000_000, 20)).toBe(false);
  });
});
