// How long a start takes after `kill -9`: with a history of orders and settled trades, and of an empty exchange.
import { rm } from 'node:fs/promises';
import { openSandbox, type SandboxProcess, waitFor } from '@presage/testkit';
import { postOrders, signOrders } from './http-load.ts';
import { type Measurement, median } from './measurement.ts';
import { makeWallets, openVenue, signPairs, type Venue } from './settlement-load.ts';

const ORDERS = Number(process.env.BENCH_RESTART_ORDERS ?? 20_000);
const TRADES = Number(process.env.BENCH_RESTART_TRADES ?? 500);
const BATCH = 50;
const RESTARTS = 3;
const LIMIT_MS = 300_000;

export async function measure(): Promise<Measurement> {
  const [empty, full] = [await prepare(async () => undefined), await prepare(fill)];
  const [emptyTimes, fullTimes]: [number[], number[]] = [[], []];
  try {
    // In turns, so that other load on the machine affects both alike.
    for (let round = 0; round < RESTARTS; round++) {
      emptyTimes.push(await restart(empty));
      fullTimes.push(await restart(full));
    }
  } finally {
    for (const dataDir of [empty, full]) await rm(dataDir, { recursive: true, force: true });
  }
  const list = (times: readonly number[]) => times.map((seconds) => seconds.toFixed(1)).join(', ');
  const history = `${ORDERS.toLocaleString('en')} open orders and ${TRADES.toLocaleString('en')} settled trades`;
  return {
    key: 'restart.growth',
    value: median(fullTimes) / median(emptyTimes),
    conditions: `all processes killed, ${history}: ready after ${list(fullTimes)} s; empty ${list(emptyTimes)} s`,
  };
}

/** The folder of an exchange that was killed. */
async function prepare(fillUp: (sandbox: SandboxProcess) => Promise<void>): Promise<string> {
  const sandbox = await openSandbox();
  try {
    await fillUp(sandbox);
  } finally {
    await sandbox.killGroup();
  }
  return sandbox.dataDir;
}

/** Seconds from the start to ready; killed again. */
async function restart(dataDir: string): Promise<number> {
  const startMs = performance.now();
  const sandbox = await openSandbox({ dataDir });
  const seconds = (performance.now() - startMs) / 1_000;
  await sandbox.killGroup();
  return seconds;
}

async function fill(sandbox: SandboxProcess): Promise<void> {
  const venue = await openVenue(sandbox);
  const pairs = await signPairs(venue, makeWallets(200, 'restart'), {
    trades: TRADES,
    pairing: 'spread',
    firstNonce: 1,
  });
  await post(venue, '/api/v1/orders', pairs);
  const isSettled = async () => (await countConfirmed(venue)) >= TRADES;
  await waitFor('every trade is confirmed', isSettled, { timeoutMs: LIMIT_MS, pollMs: 100 });
  // Not beside settlement: a slow machine would shed some of these batches, as it should.
  const { domain, marketId } = venue;
  await post(venue, '/api/v1/orders/batch', await signOrders({ count: ORDERS, domain, marketId, batch: BATCH }));
}

async function post({ url }: Venue, path: string, bodies: readonly string[]): Promise<void> {
  const result = await postOrders({ url: `${url}${path}`, bodies, connections: 8, limitMs: LIMIT_MS });
  if (result.ok !== bodies.length) throw new Error(`not every order was taken: ${JSON.stringify(result.statuses)}`);
}

async function countConfirmed({ url }: Venue): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(/^presage_settle_seconds_count (\d+)/m.exec(text)?.[1] ?? 0);
}
