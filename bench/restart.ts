// Time of a start after `kill -9`: with a history of orders and settled trades, with four times as much, and with an empty exchange.
import { rm } from 'node:fs/promises';
import { openSandbox, type SandboxProcess, waitFor } from '@presage/testkit';
import { postOrders, signOrders } from './http-load.ts';
import { type Measurement, median } from './measurement.ts';
import { makeWallets, openVenue, signPairs, type Venue } from './settlement-load.ts';

const ORDERS = Number(process.env.BENCH_RESTART_ORDERS ?? 20_000);
const TRADES = Number(process.env.BENCH_RESTART_TRADES ?? 500);
const BATCH = 50;
const RESTARTS = 5;
const LIMIT_MS = 300_000;

/** Factor of the longer history for `restart.flat`. */
const MORE = 4;

export async function measure(): Promise<Measurement[]> {
  const dataDirs = [await prepare(0), await prepare(1), await prepare(MORE)] as const;
  const times: [empty: number[], full: number[], more: number[]] = [[], [], []];
  try {
    // Alternating, so that other load on the machine affects all alike.
    for (let round = 0; round < RESTARTS; round++) {
      for (const [index, dataDir] of dataDirs.entries()) times[index]!.push(await restart(dataDir));
    }
  } finally {
    for (const dataDir of dataDirs) await rm(dataDir, { recursive: true, force: true });
  }
  const [empty, full, more] = times;
  return [
    {
      key: 'restart.growth',
      value: median(full) / median(empty),
      conditions: `all processes killed, ${describe(1)}: ready after ${list(full)} s; empty ${list(empty)} s`,
    },
    {
      key: 'restart.flat',
      value: median(more) / median(full),
      conditions: `${describe(MORE)}: ready after ${list(more)} s; ${describe(1)}: ${list(full)} s`,
    },
  ];
}

function describe(times: number): string {
  return `${(times * ORDERS).toLocaleString('en')} open orders and ${(times * TRADES).toLocaleString('en')} settled trades`;
}

function list(times: readonly number[]): string {
  return times.map((seconds) => seconds.toFixed(1)).join(', ');
}

/** Prepares the data folder of an exchange that was killed. */
async function prepare(times: number): Promise<string> {
  const sandbox = await openSandbox();
  try {
    if (times > 0) await fill(sandbox, times);
  } finally {
    await sandbox.killGroup();
  }
  return sandbox.dataDir;
}

/** Seconds from start to ready; kills it again. */
async function restart(dataDir: string): Promise<number> {
  const startMs = performance.now();
  const sandbox = await openSandbox({ dataDir });
  const seconds = (performance.now() - startMs) / 1_000;
  await sandbox.killGroup();
  return seconds;
}

async function fill(sandbox: SandboxProcess, times: number): Promise<void> {
  const [orders, trades] = [times * ORDERS, times * TRADES];
  const venue = await openVenue(sandbox);
  const pairs = await signPairs(venue, makeWallets(200, 'restart'), {
    trades,
    pairing: 'spread',
    firstNonce: 1,
  });
  await post(venue, '/api/v1/orders', pairs, 8);
  const isSettled = async () => (await countConfirmed(venue)) >= trades;
  await waitFor('every trade is confirmed', isSettled, { timeoutMs: LIMIT_MS, pollMs: 100 });
  const { domain, marketId } = venue;
  // More at once would be a flood, of which the service refuses a part.
  const batches = await signOrders({ count: orders, domain, marketId, batch: BATCH });
  await post(venue, '/api/v1/orders/batch', batches, 1);
}

async function post({ url }: Venue, path: string, bodies: readonly string[], connections: number): Promise<void> {
  const result = await postOrders({ url: `${url}${path}`, bodies, connections, limitMs: LIMIT_MS });
  if (result.ok !== bodies.length) throw new Error(`not every order was taken: ${JSON.stringify(result.statuses)}`);
}

async function countConfirmed({ url }: Venue): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(/^presage_settle_seconds_count (\d+)/m.exec(text)?.[1] ?? 0);
}

if (process.argv[1] === import.meta.filename) console.log(await measure());
