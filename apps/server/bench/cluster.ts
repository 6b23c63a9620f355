// The cost of roles and of a journal in PostgreSQL: one process, then a gateway and an engine, then two of each, and both kinds of journal.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FileJournal, GroupCommit, type Journal, PostgresJournal } from '@presage/journal';
import { withExchange } from '../../../bench/exchange.ts';
import type { Measurement } from '../../../bench/measurement.ts';
import { TICKS_PER_SECOND } from '../../../bench/process-tree.ts';
import { openJournalDatabase } from '../src/store/open.ts';
import { TestCluster } from '../test/cluster/test-cluster.ts';
import { describeRound, marketsByEngine, measureRound, pidsOf, type Round, ticksOf } from './role-times.ts';

const LOAD = { warmUp: 500, orders: 2_000 };
const RECORDS = 10_000;
/** Concurrent commands, which share frames if possible. */
const PUSHERS = 256;
const PARTITIONS = 8;

/** @public Called by `bench/modules.ts`, by the path of this file. */
export async function measure(): Promise<Measurement[]> {
  const single = await withExchange(({ url, marketId, domain, sandbox }) =>
    measureRound({ domain, targets: [{ url: url(''), marketId }], pids: { all: sandbox.pid }, ...LOAD }),
  );
  const cluster = await TestCluster.open({ engines: 2, gateways: 2, partitions: PARTITIONS, leaseSeconds: 5 });
  try {
    const [two, four] = await loadCluster(cluster);
    return [...tell(single, two, four), await measureJournals(cluster)];
  } finally {
    await cluster.close();
  }
}

async function loadCluster(cluster: TestCluster): Promise<[Round, Round]> {
  const { domain } = cluster.settler.client;
  const pids = pidsOf(cluster);
  const lists = await marketsByEngine(cluster, PARTITIONS, 1);
  const urls = cluster.gateways.map(({ url }) => url);
  // One market of each engine, each at its own gateway.
  const targets = urls.flatMap((url, index) => lists[index]!.map((marketId) => ({ url, marketId })));
  const two = await measureRound({ domain, targets: targets.slice(0, 1), pids, ...LOAD });
  const four = await measureRound({ domain, targets, pids, ...LOAD });
  return [two, four];
}

function tell(single: Round, two: Round, four: Round): Measurement[] {
  const gateway = two.cpuUs['gateway-0']!;
  return [
    {
      key: 'cluster.orders',
      value: four.perSecond / single.perSecond,
      conditions: `${LOAD.orders} resting orders, 64 connections: one process ${describeRound(single)}; gateway and engine ${describeRound(two)}; two of each ${describeRound(four)}`,
    },
    {
      key: 'cluster.gateway',
      value: gateway / single.cpuUs.all!,
      conditions: `${gateway} us an order, the one process with its chain and its view ${single.cpuUs.all} us`,
    },
  ];
}

async function measureJournals({ database: pair }: TestCluster): Promise<Measurement> {
  const dir = await mkdtemp(join(tmpdir(), 'presage-bodies-'));
  const { database, close } = await openJournalDatabase(pair.url);
  try {
    const files = await push(await FileJournal.open({ dir: join(dir, 'm0'), partition: 'm0' }));
    const pids = { primary: pair.primary.pid!, standby: pair.standby.pid! };
    const before = ticksOf(pids);
    const leaseMs = 60_000;
    const shared = await push(await PostgresJournal.open({ database, partition: 'm99', address: 'bench', leaseMs }));
    const after = ticksOf(pids);
    const us = (name: 'primary' | 'standby') =>
      (((after[name]! - before[name]!) / TICKS_PER_SECOND / RECORDS) * 1e6).toFixed(0);
    const say = ({ perSecond, cpuUs, frames }: Pushed) =>
      `${perSecond.toFixed(0)}/s in ${frames} frames, ${cpuUs.toFixed(0)} us of our processor time a record`;
    return {
      key: 'cluster.journal',
      value: shared.perSecond / files.perSecond,
      conditions: `${RECORDS} records of 400 bytes by ${PUSHERS} callers: files ${say(files)}; PostgreSQL ${say(shared)}, its primary ${us('primary')} us, its standby ${us('standby')} us`,
    };
  } finally {
    await close();
    await rm(dir, { recursive: true, force: true });
  }
}

interface Pushed {
  readonly perSecond: number;
  readonly cpuUs: number;
  readonly frames: number;
}

async function push(journal: Journal): Promise<Pushed> {
  const commits = new GroupCommit({ journal, now: Date.now });
  const record = Buffer.alloc(400, '{"type":"order-accepted"}');
  let [left, frames] = [RECORDS, 0];
  journal.subscribe(() => frames++);
  const cpu = process.cpuUsage();
  const startMs = performance.now();
  const pusher = async () => {
    while (left-- > 0) await commits.push([record]);
  };
  await Promise.all(Array.from({ length: PUSHERS }, pusher));
  const seconds = (performance.now() - startMs) / 1_000;
  const { user, system } = process.cpuUsage(cpu);
  await commits.close();
  await journal.close();
  return { perSecond: RECORDS / seconds, cpuUs: (user + system) / RECORDS, frames };
}
