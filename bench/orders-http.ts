// Signed orders per second over HTTP: the whole service as `npm start` runs it, and the bare baseline, in the same run.
import { availableParallelism, cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { openSandbox, waitFor } from '../packages/testkit/src/index.ts';
import { type Comparison, compareWithFloor, findTarget, type LoadSize, rateOf } from './http-floor.ts';
import type { LoadResult } from './http-load.ts';

/** Below it the service would cost more than twice what a bare server and one recovery do. */
const LEAST_RATIO = 0.5;
/** One of every category. */
const FIRST_MARKETS = 4;

function readSize(): LoadSize {
  const { values } = parseArgs({
    options: {
      orders: { type: 'string', default: '12000' },
      connections: { type: 'string', default: '64' },
      seconds: { type: 'string', default: '60' },
    },
  });
  return {
    orders: Number(values.orders),
    connections: Number(values.connections),
    limitMs: Number(values.seconds) * 1_000,
  };
}

function printConditions({ orders, connections }: LoadSize): void {
  const [oneMinute = 0] = loadavg();
  console.log(
    `Node ${process.version}, ${process.arch}, ${availableParallelism()} cores (${cpus()[0]?.model}), loopback`,
  );
  console.log(
    `load average before the run ${oneMinute.toFixed(1)}; journal on disk, each frame synced before its answers`,
  );
  console.log(
    `${orders} pre-signed resting orders for each server, ${connections} keep-alive connections, rounds alternate`,
  );
}

function printServer(name: string, results: readonly LoadResult[]): void {
  const rounds = results.map(({ okPerSecond }) => okPerSecond.toFixed(0)).join(', ');
  const { p50, p99 } = results.at(-1)!.latencyMs;
  console.log(`${name}: ${rateOf(results).toFixed(0)} orders/s (rounds ${rounds}), all accepted`);
  console.log(`  last round: p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`);
}

async function measure(size: LoadSize): Promise<Comparison> {
  const sandbox = await openSandbox();
  try {
    await marketsListed(sandbox.url);
    const comparison = await compareWithFloor(await findTarget(`${sandbox.url}/api/v1/orders`), size);
    if (comparison.ours.every(isWhole)) return comparison;
    throw new Error(`the service did not accept every order:\n${await sandbox.transcript()}`);
  } finally {
    await sandbox.discard();
  }
}

function isWhole({ sent, ok }: LoadResult): boolean {
  return sent === ok;
}

/** The first markets are created in the background; a load at the same time would measure both. */
async function marketsListed(url: string): Promise<void> {
  await waitFor('the first markets are listed', async () => {
    const { count } = (await (await fetch(`${url}/api/v1/markets`)).json()) as { count: number };
    return count >= FIRST_MARKETS;
  });
}

const size = readSize();
printConditions(size);
const { floor, ours, ratio } = await measure(size);
printServer('floor: bare node:http, parse, one recovery', floor);
printServer('the service', ours);
console.log(`ratio ${ratio.toFixed(2)} (at least ${LEAST_RATIO} is wanted)`);
