// Processor time of an order in a cluster, for all processes together and for each role, compared with a single
// process; orders over several partitions.
import { withExchange } from '../../../bench/exchange.ts';
import type { Measurement } from '../../../bench/measurement.ts';
import { TestCluster } from '../test/cluster/test-cluster.ts';
import { describeTimes, marketsByEngine, measureIdle, measureRound, pidsOf, type Round } from './role-times.ts';

/** Warm means compiled: the first thousands of orders cost twice as much. */
const LOAD = { warmUp: 20_000, orders: 8_000 };
const PARTITIONS = 8;
const IDLE_SECONDS = 5;
/** Each engine decides on this many markets, each in a partition of its own. */
const MARKETS_AN_ENGINE = 3;

interface Cost {
  readonly round: Round;
  readonly idleUs: Readonly<Record<string, number>>;
  /** Microseconds of an order by process, without the process's idle time. */
  readonly orderUs: Readonly<Record<string, number>>;
  /** Frames of the warm-up and the round; not counted for a journal in files. */
  readonly frames?: number;
}

/** @public Called by `bench/modules.ts`, by the path of this file. */
export async function measure(): Promise<Measurement[]> {
  const single = await withExchange(async ({ url, marketId, domain, sandbox }) => {
    const pids = { all: sandbox.pid };
    const round = await measureRound({ domain, targets: [{ url: url(''), marketId }], pids, ...LOAD });
    return toCost(round, await measureIdle(pids, IDLE_SECONDS));
  });
  const cluster = await TestCluster.open({ engines: 2, gateways: 2, partitions: PARTITIONS, leaseSeconds: 5 });
  try {
    return tell(single, await measureCluster(cluster));
  } finally {
    await cluster.close();
  }
}

/** All orders go to the first gateway; the second only follows. */
async function measureCluster(cluster: TestCluster): Promise<Cost> {
  const { domain } = cluster.settler.client;
  const pids = pidsOf(cluster);
  const markets = await marketsByEngine(cluster, PARTITIONS, MARKETS_AN_ENGINE);
  const url = cluster.gateways[0]!.url;
  const targets = markets.flat().map((marketId) => ({ url, marketId }));
  const framesBefore = await countFrames(cluster);
  const round = await measureRound({ domain, targets, pids, ...LOAD });
  const frames = (await countFrames(cluster)) - framesBefore;
  return { ...toCost(round, await measureIdle(pids, IDLE_SECONDS)), frames };
}

async function countFrames({ database }: TestCluster): Promise<number> {
  const [row] = await database.primary.query<{ count: string }>('select count(*) from journal_frames');
  return Number(row?.count);
}

function toCost(round: Round, idleUs: Readonly<Record<string, number>>): Cost {
  const own = (name: string) => Math.max(0, Math.round(round.cpuUs[name]! - idleUs[name]! / round.perSecond));
  return { round, idleUs, orderUs: Object.fromEntries(Object.keys(idleUs).map((name) => [name, own(name)])) };
}

function tell(single: Cost, cluster: Cost): Measurement[] {
  const sum = (us: Readonly<Record<string, number>>) => Object.values(us).reduce((total, each) => total + each, 0);
  const { orderUs, frames = 0 } = cluster;
  const ordersAFrame = ((LOAD.warmUp + LOAD.orders) / frames).toFixed(1);
  const engines = orderUs['engine-0']! + orderUs['engine-1']!;
  const say = ({ round, idleUs, orderUs: own }: Cost) =>
    `${round.perSecond.toFixed(0)}/s, us of processor time an order ${describeTimes(own)}, sum ${sum(own)}; a second without orders ${describeTimes(idleUs)}`;
  return [
    {
      key: 'cluster.cost',
      value: sum(orderUs) / sum(single.orderUs),
      conditions: `${LOAD.orders} resting orders after ${LOAD.warmUp} in ${2 * MARKETS_AN_ENGINE} partitions, all at one gateway: one process ${say(single)}; cluster ${say(cluster)}, ${ordersAFrame} orders a frame`,
    },
    {
      key: 'cluster.cost.follower',
      value: orderUs['gateway-1']!,
      conditions: 'a gateway that takes none of the orders',
    },
    { key: 'cluster.cost.engine', value: engines, conditions: 'both engines, each of which decides on a part' },
  ];
}
