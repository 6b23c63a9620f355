// What roles and a journal in PostgreSQL cost: one process, then a gateway and an engine, then two of each, and the two bodies of the journal.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FileJournal, GroupCommit, type Journal, PostgresJournal } from '@presage/journal';
import { type MarketId, partitionOfMarket } from '@presage/protocol';
import { readJson, waitFor } from '@presage/testkit';
import { withExchange } from '../../../bench/exchange.ts';
import { postOrders, signOrders } from '../../../bench/http-load.ts';
import type { Measurement } from '../../../bench/measurement.ts';
import { readTree, sumTicks, TICKS_PER_SECOND } from '../../../bench/process-tree.ts';
import { openJournalDatabase } from '../src/store/open.ts';
import { TestCluster } from '../test/cluster/test-cluster.ts';

const ORDERS = 2_000;
const WARM_UP = 500;
const CONNECTIONS = 64;
const LIMIT_MS = 60_000;
const RECORDS = 10_000;
/** Commands that wait at the same time, and go into one frame where they can. */
const PUSHERS = 256;
const PARTITIONS = 8;

interface Target {
  readonly url: string;
  readonly marketId: MarketId;
}

interface Round {
  readonly perSecond: number;
  /** Microseconds of processor time for an order, by process. */
  readonly cpuUs: Readonly<Record<string, number>>;
}

type Domain = Parameters<typeof signOrders>[0]['domain'];

/** @public Called by `bench/modules.ts`, by the path of this file. */
export async function measure(): Promise<Measurement[]> {
  const single = await withExchange(({ url, marketId, domain, sandbox }) =>
    loadWarm(domain, [{ url: url(''), marketId }], { all: sandbox.pid }),
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
  const [first, second] = await marketsOfTwoEngines(cluster);
  const [a = '', b = ''] = cluster.gateways.map(({ url }) => url);
  const two = await loadWarm(domain, [{ url: a, marketId: first }], pids);
  const four = await loadWarm(
    domain,
    [
      { url: a, marketId: first },
      { url: b, marketId: second },
    ],
    pids,
  );
  return [two, four];
}

function pidsOf({ gateways, engines, settler, database }: TestCluster): Record<string, number> {
  const nodes = [...gateways, ...engines].map(({ name, pid }) => [name, pid]);
  return {
    ...Object.fromEntries(nodes),
    settler: settler.sandbox.pid,
    primary: database.primary.pid!,
    standby: database.standby.pid!,
  };
}

/** Two that different engines decide on. */
async function marketsOfTwoEngines({ settler, engines, gateways }: TestCluster): Promise<[MarketId, MarketId]> {
  const owned = await Promise.all(
    engines.map(async ({ url }) => (await readJson<{ partitions: string[] }>(`${url}/ready`)).partitions),
  );
  const found: (MarketId | undefined)[] = [undefined, undefined];
  for (let n = 0; found.includes(undefined); n++) {
    const { id } = await settler.newMarket(`Is number ${n} of the other engine?`);
    found[owned.findIndex((names) => names.includes(`m${partitionOfMarket(id, PARTITIONS)}`))] ??= id;
  }
  // The loop ends when both are found.
  const markets = found as [MarketId, MarketId];
  for (const { url } of gateways)
    for (const id of markets)
      await waitFor('it is listed there', async () => (await fetch(`${url}/api/v1/markets/${id}`)).status === 200);
  return markets;
}

async function loadWarm(domain: Domain, targets: readonly Target[], pids: Record<string, number>): Promise<Round> {
  await load(domain, targets, WARM_UP);
  const before = ticksOf(pids);
  const perSecond = await load(domain, targets, ORDERS);
  const after = ticksOf(pids);
  const toUs = (ticks: number) => Math.round(((ticks / TICKS_PER_SECOND) * 1e6) / ORDERS);
  const cpuUs = Object.keys(pids).map((name) => [name, toUs(after[name]! - before[name]!)]);
  return { perSecond, cpuUs: Object.fromEntries(cpuUs) };
}

function ticksOf(pids: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(Object.entries(pids).map(([name, pid]) => [name, sumTicks(readTree(pid))]));
}

/** So many in all, at all of them at the same time; orders a second. */
async function load(domain: Domain, targets: readonly Target[], orders: number): Promise<number> {
  const count = orders / targets.length;
  const bodies = await Promise.all(targets.map(({ marketId }) => signOrders({ count, domain, marketId })));
  const startMs = performance.now();
  const results = await Promise.all(
    targets.map(({ url }, index) =>
      postOrders({
        url: `${url}/api/v1/orders`,
        bodies: bodies[index]!,
        connections: CONNECTIONS / targets.length,
        limitMs: LIMIT_MS,
      }),
    ),
  );
  const ok = results.reduce((sum, result) => sum + result.ok, 0);
  if (ok !== orders) throw new Error(`not every order was taken: ${JSON.stringify(results.map((r) => r.statuses))}`);
  return (ok / (performance.now() - startMs)) * 1_000;
}

function tell(single: Round, two: Round, four: Round): Measurement[] {
  const say = ({ perSecond, cpuUs }: Round) => {
    const each = Object.entries(cpuUs).map(([name, us]) => `${name} ${us}`);
    return `${perSecond.toFixed(0)}/s (us of processor time an order: ${each.join(', ')})`;
  };
  const gateway = two.cpuUs['gateway-0']!;
  return [
    {
      key: 'cluster.orders',
      value: four.perSecond / single.perSecond,
      conditions: `${ORDERS} resting orders, ${CONNECTIONS} connections: one process ${say(single)}; gateway and engine ${say(two)}; two of each ${say(four)}`,
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
