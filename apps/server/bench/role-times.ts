// Processor time per order of each process of an exchange: loads running processes and reads Linux's counters.
import { type MarketId, partitionOfMarket } from '@presage/protocol';
import { sleep } from '@presage/runtime';
import { readJson, waitFor } from '@presage/testkit';
import { type OrderMix, postOrders, signOrders } from '../../../bench/http-load.ts';
import { readTree, sumTicks, TICKS_PER_SECOND } from '../../../bench/process-tree.ts';
import type { TestCluster } from '../test/cluster/test-cluster.ts';

const CONNECTIONS = 64;
const LIMIT_MS = 120_000;

interface Target {
  readonly url: string;
  readonly marketId: MarketId;
}

/** Process ids by role; the time of their children is included. */
export type Pids = Readonly<Record<string, number>>;

export interface Round {
  readonly perSecond: number;
  /** Microseconds of processor time per order, by process. */
  readonly cpuUs: Readonly<Record<string, number>>;
}

export interface RoundOptions {
  readonly domain: Domain;
  /** Loaded concurrently, with equal shares of the orders. */
  readonly targets: readonly Target[];
  readonly pids: Pids;
  readonly warmUp: number;
  readonly orders: number;
  readonly mix?: OrderMix;
}

type Domain = Parameters<typeof signOrders>[0]['domain'];

export function pidsOf({ gateways, engines, settler, database }: TestCluster): Pids {
  const nodes = [...gateways, ...engines].map(({ name, pid }) => [name, pid]);
  return {
    ...Object.fromEntries(nodes),
    settler: settler.sandbox.pid,
    primary: database.primary.pid!,
    standby: database.standby.pid!,
  };
}

/** For each engine, a list of `count` markets that it owns. */
export async function marketsByEngine(
  { settler, engines, gateways }: TestCluster,
  partitions: number,
  each: number,
): Promise<MarketId[][]> {
  const owned = await Promise.all(
    engines.map(async ({ url }) => (await readJson<{ partitions: string[] }>(`${url}/ready`)).partitions),
  );
  const found: Map<string, MarketId>[] = engines.map(() => new Map());
  // No two markets of an engine share a partition.
  for (let n = 0; found.some(({ size }) => size < each); n++) {
    const { id } = await settler.newMarket(`Is number ${n} of the other engine?`);
    const partition = `m${partitionOfMarket(id, partitions)}`;
    const markets = found[owned.findIndex((names) => names.includes(partition))];
    if (markets !== undefined && markets.size < each) markets.set(partition, id);
  }
  const lists = found.map((markets) => [...markets.values()]);
  for (const { url } of gateways)
    for (const id of lists.flat())
      await waitFor('it is listed there', async () => (await fetch(`${url}/api/v1/markets/${id}`)).status === 200);
  return lists;
}

/** Processor time per second without orders, by process, in microseconds. */
export async function measureIdle(pids: Pids, seconds: number): Promise<Record<string, number>> {
  const before = ticksOf(pids);
  await sleep(seconds * 1_000);
  return toUs(before, ticksOf(pids), seconds);
}

export async function measureRound(options: RoundOptions): Promise<Round> {
  const { pids, warmUp, orders } = options;
  await load(options, warmUp);
  const before = ticksOf(pids);
  const perSecond = await load(options, orders);
  return { perSecond, cpuUs: toUs(before, ticksOf(pids), orders) };
}

export function describeRound({ perSecond, cpuUs }: Round): string {
  return `${perSecond.toFixed(0)}/s (us of processor time an order: ${describeTimes(cpuUs)})`;
}

export function describeTimes(us: Readonly<Record<string, number>>): string {
  return Object.entries(us)
    .map(([name, each]) => `${name} ${each}`)
    .join(', ');
}

export function ticksOf(pids: Pids): Record<string, number> {
  return Object.fromEntries(Object.entries(pids).map(([name, pid]) => [name, sumTicks(readTree(pid))]));
}

function toUs(before: Record<string, number>, after: Record<string, number>, count: number): Record<string, number> {
  const each = (name: string) => ((after[name]! - before[name]!) / TICKS_PER_SECOND / count) * 1e6;
  return Object.fromEntries(Object.keys(before).map((name) => [name, Math.round(each(name))]));
}

/** Sends the orders, spread over the targets; resolves with orders per second. */
async function load({ domain, targets, mix = 'resting' }: RoundOptions, orders: number): Promise<number> {
  const count = Math.ceil(orders / targets.length);
  const bodies = await Promise.all(targets.map(({ marketId }) => signOrders({ count, domain, marketId, mix })));
  const startMs = performance.now();
  const results = await Promise.all(
    targets.map(({ url }, index) =>
      postOrders({
        url: `${url}/api/v1/orders`,
        bodies: bodies[index]!,
        connections: Math.ceil(CONNECTIONS / targets.length),
        limitMs: LIMIT_MS,
      }),
    ),
  );
  const ok = results.reduce((sum, result) => sum + result.ok, 0);
  if (ok !== count * targets.length)
    throw new Error(`not every order was taken: ${JSON.stringify(results.map((r) => r.statuses))}`);
  return (ok / (performance.now() - startMs)) * 1_000;
}
