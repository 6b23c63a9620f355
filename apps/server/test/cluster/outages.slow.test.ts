// How long each partition of a cluster goes without answers when nodes are restarted, killed and cut off, with nothing lost and nothing doubled.
// Runs for as long as PRESAGE_TORTURE_MINUTES says and prints a table; without it the test is skipped.
import { type MarketId, marketPartitionName, partitionOfMarket } from '@presage/protocol';
import { SeededRandom, type ServiceNode, seedFromEnv, waitFor } from '@presage/testkit';
import { afterAll, beforeAll, describe, expect, it, onTestFailed } from 'vitest';
import { verifyExchange } from '../../../../packages/sdk/src/verify/index.ts';
import { TcpBalancer } from '../../../../scripts/tcp-balancer.ts';
import { expectFilledOnChain } from '../e2e/answered-check.ts';
import { OrderStreams } from './order-streams.ts';
import { OutageFaults } from './outage-faults.ts';
import { OutageTable } from './outage-table.ts';
import { ReadStreams } from './read-streams.ts';
import { TestCluster } from './test-cluster.ts';

const env = (name: string, otherwise: number) => Number(process.env[`PRESAGE_TORTURE_${name}`] ?? otherwise);
const MINUTES = env('MINUTES', 0);
const PARTITIONS = env('PARTITIONS', 8);
const RATE = env('RATE', 50);
const LEASE_SECONDS = env('LEASE_SECONDS', 2);
/** Part of a name: only faults that contain it. */
const ONLY = process.env.PRESAGE_TORTURE_ONLY ?? '';
const random = new SeededRandom(seedFromEnv(Date.now()));

describe.skipIf(MINUTES === 0)(`outages of a cluster with ${PARTITIONS} partitions, seed ${random.seed}`, () => {
  let cluster: TestCluster;
  let balancer: TcpBalancer;
  let markets: MarketId[];

  beforeAll(async () => {
    cluster = await TestCluster.open({ engines: 2, gateways: 2, partitions: PARTITIONS, leaseSeconds: LEASE_SECONDS });
    await cluster.addSettler('settler-1');
    balancer = new TcpBalancer(cluster.gateways.map(({ url }) => url));
    markets = await coverPartitions(cluster);
  });
  afterAll(async () => {
    await balancer?.close();
    await cluster?.close();
  });

  it(
    'loses and doubles nothing',
    async () => {
      onTestFailed(() => console.log(logs(cluster)));
      const url = await balancer.listen(0);
      const signer = cluster.client(0);
      const streams = new OrderStreams({ random, signer, urls: [url], markets, partitions: PARTITIONS, rate: RATE });
      const { outages } = streams;
      const reads = new ReadStreams({
        outages,
        urls: cluster.gateways.map((gateway) => gateway.url),
        settlerUrl: url,
        path: `/api/v1/trades/${markets[0]}`,
        position: () => streams.position,
        periodMs: 50,
      });
      const running = Promise.all([streams.run(), reads.run()]);
      const faults = new OutageFaults({
        cluster,
        random,
        leaseMs: LEASE_SECONDS * 1_000,
        mark: () => outages.mark(),
      });
      const table = new OutageTable(streams.partitions);
      const names = Object.keys(faults.all).filter((name) => name.includes(ONLY));
      const untilMs = performance.now() + MINUTES * 60_000;
      await allAnswered();
      outages.take();
      for (let turn = 0; performance.now() < untilMs || turn < names.length; turn++) {
        const name = names[turn % names.length]!;
        const logged = cluster.nodes.map(({ said }) => said.length);
        await faults.all[name]!();
        await allAnswered();
        table.add(name, outages);
        if (process.env.PRESAGE_TORTURE_VERBOSE) console.info(quantiles(outages.tookMs));
        outages.tookMs.clear();
        console.info(`${table.lastLine}\n${handovers(logged)}`);
        await evenlyOwned();
      }
      streams.stop();
      reads.stop();
      await running;
      const { answered, receipts, withoutReceipt, doubledTrades } = streams;
      const { lists, behind } = reads;
      console.info(`${table}\n`, { answered: answered.length, withoutReceipt: withoutReceipt.length, lists, behind });
      expect(withoutReceipt).toEqual([]);
      expect(doubledTrades).toEqual([]);
      // Either settler may be the one that works: a gateway knows.
      await waitFor('no trade is pending', async () => {
        const { body } = await cluster.client(0).get<{ pendingTrades: unknown[] }>('/api/v1/pending-trades');
        return body.pendingTrades?.length === 0;
      });
      await expectFilledOnChain({ client: signer, chain: cluster.settler.chain }, answered);
      for (const gateway of cluster.gateways) {
        const { violation, counts } = await verifyExchange({
          url: gateway.url,
          rpcUrl: cluster.settler.sandbox.rpcUrl,
          receipts,
          answered: answered.map(({ answer }) => answer.orderHash),
        });
        expect(violation).toBeUndefined();
        expect(counts.receipts).toBe(receipts.length);
      }

      async function allAnswered(): Promise<void> {
        const sinceMs = performance.now();
        await waitFor('every stream is answered', () => outages.areAnsweredSince(sinceMs), {
          pollMs: 20,
          timeoutMs: 60_000,
        });
      }
    },
    MINUTES * 60_000 + 600_000,
  );

  /** The next fault finds a cluster at rest. */
  async function evenlyOwned(): Promise<void> {
    await waitFor('both engines have their share', async () => {
      const owned = await Promise.all(cluster.engines.map(countOwned));
      return Math.max(...owned) <= Math.ceil((PARTITIONS + 1) / 2) && owned[0]! + owned[1]! === PARTITIONS + 1;
    });
  }

  /** What the nodes said about partitions that changed hands. */
  function handovers(from: readonly number[]): string {
    const lines = cluster.nodes.flatMap(({ name, said }, index) =>
      [
        ...said.slice(from[index]).matchAll(/"time":(\d+).*?"msg":"([^"]*(?:hand|lost|give|could not|took)[^"]*)"/g),
      ].map(([, time, text]) => `${time!.slice(-8)} ${name}: ${text}`),
    );
    return process.env.PRESAGE_TORTURE_VERBOSE ? lines.sort().join('\n') : '';
  }
});

async function countOwned(node: ServiceNode): Promise<number> {
  const answer = await fetch(`${node.url}/ready`).catch(() => undefined);
  const { partitions = [] } = ((await answer?.json()) ?? {}) as { partitions?: string[] };
  return partitions.length;
}

/** One market in each partition, as far as a few dozen more of them reach. */
async function coverPartitions(cluster: TestCluster): Promise<MarketId[]> {
  const listed = (await cluster.settler.seededMarkets()).map(({ id }) => id);
  const nameOf = (id: MarketId) => marketPartitionName(partitionOfMarket(id, PARTITIONS));
  const found = new Map(listed.map((id) => [nameOf(id), id]));
  for (let more = 0; more < 2 * PARTITIONS && found.size < PARTITIONS; more++) {
    const { id } = await cluster.settler.newMarket(`Is partition ${more} covered?`);
    found.set(nameOf(id), id);
  }
  const markets = [...found.values()];
  for (const index of cluster.gateways.keys()) {
    for (const id of markets)
      await waitFor(
        'it is listed',
        async () => (await cluster.client(index).get(`/api/v1/markets/${id}`)).status === 200,
      );
  }
  return markets;
}

function quantiles(tookMs: ReadonlyMap<string, number[]>): string {
  return [...tookMs]
    .map(([name, times]) => {
      const sorted = times.toSorted((a, b) => a - b);
      const at = (part: number) => Math.round(sorted[Math.floor(part * (sorted.length - 1))] ?? 0);
      return `${name} n=${sorted.length} p50=${at(0.5)} p90=${at(0.9)} max=${at(1)}`;
    })
    .join('; ');
}

function logs(cluster: TestCluster): string {
  return cluster.nodes.map(({ name, said }) => `${name}:\n${said.slice(-3_000)}`).join('\n');
}
