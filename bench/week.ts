// Time of a sandbox's start after `kill -9` when it lived through a simulated week: quick markets, the demo maker, trades.
import { rm } from 'node:fs/promises';
import { openSandbox, readJson, type SandboxProcess, waitFor } from '@presage/testkit';
import { postOrders, signOrders } from './http-load.ts';
import { readTree, sumTicks, TICKS_PER_SECOND } from './process-tree.ts';
import { openVenue, type Venue } from './settlement-load.ts';

const DAY_SECONDS = 86_400;
const DAYS = Number(process.env.BENCH_WEEK_DAYS ?? 7);
/** Seconds per time step; a quick market lives for 900. */
const STEP_SECONDS = Number(process.env.BENCH_WEEK_STEP ?? 3_600);
/** Every second order takes the previous one. */
const ORDERS_A_STEP = 20;
const RESTARTS = 3;
const SHOWN_PROCESSES = 4;
const LIMIT_MS = 120_000;

async function main(): Promise<void> {
  const [empty, full] = [await prepare(async () => undefined), await prepare(live)];
  try {
    // Alternating, so that other load on the machine affects both alike.
    for (let round = 0; round < RESTARTS; round++) {
      console.log(`an empty exchange: ${await restart(empty)}`);
      console.log(`after the week: ${await restart(full)}`);
    }
  } finally {
    for (const dataDir of [empty, full]) await rm(dataDir, { recursive: true, force: true });
  }
}

/** Prepares the data folder of an exchange that was killed. */
async function prepare(use: (sandbox: SandboxProcess) => Promise<void>): Promise<string> {
  const sandbox = await openSandbox();
  await use(sandbox).finally(() => sandbox.killGroup());
  return sandbox.dataDir;
}

async function live(sandbox: SandboxProcess): Promise<void> {
  const venue = await openVenue(sandbox);
  await post(sandbox, '/sandbox/maker', { running: true });
  const steps = (DAYS * DAY_SECONDS) / STEP_SECONDS;
  for (let step = 1; step <= steps; step++) {
    const { now } = await post(sandbox, '/sandbox/time', { advanceSeconds: STEP_SECONDS });
    await waitFor('the next quick market is quoted', () => isQuoted(sandbox, Number(now)), { timeoutMs: LIMIT_MS });
    await trade(venue, Number(now));
    if (step % Math.ceil(steps / DAYS) === 0) console.log(`${await describe(sandbox)} after ${step} of ${steps} steps`);
  }
}

/** Whether the maker has placed orders in the current market. */
async function isQuoted({ url }: SandboxProcess, now: number): Promise<boolean> {
  const quick = await readJson<{
    active: boolean;
    quickMarket: { endTime: number } | null;
    bestAskPrice?: number;
  }>(`${url}/api/v1/quick-markets/BTC`);
  return quick.active && Number(quick.bestAskPrice) > 0 && Number(quick.quickMarket?.endTime) > now;
}

async function trade({ url, domain, marketId }: Venue, now: number): Promise<void> {
  const expiration = now + DAY_SECONDS;
  const load = { count: ORDERS_A_STEP, domain, marketId, wallets: 8, expiration, mix: 'crossing' } as const;
  const bodies = await signOrders(load);
  const result = await postOrders({ url: `${url}/api/v1/orders`, bodies, connections: 4, limitMs: LIMIT_MS });
  if (result.ok !== bodies.length) throw new Error(`not every order was taken: ${JSON.stringify(result.statuses)}`);
}

async function describe({ url }: SandboxProcess): Promise<string> {
  const { count } = await readJson<{ count: number }>(`${url}/api/v1/markets`);
  const text = await (await fetch(`${url}/metrics`)).text();
  const settled = /^presage_settle_seconds_count (\d+)/m.exec(text)?.[1] ?? 0;
  return `${count} markets, ${settled} settled trades`;
}

/** Time from start to ready, and processor time by process in case the machine is busy; kills it again. */
async function restart(dataDir: string): Promise<string> {
  const startMs = performance.now();
  const sandbox = await openSandbox({ dataDir });
  const seconds = (performance.now() - startMs) / 1_000;
  const used = readTree(sandbox.pid).toSorted((one, other) => other.ticks - one.ticks);
  await sandbox.killGroup();
  const most = used.slice(0, SHOWN_PROCESSES).map(({ ticks }) => (ticks / TICKS_PER_SECOND).toFixed(1));
  const all = (sumTicks(used) / TICKS_PER_SECOND).toFixed(1);
  return `ready after ${seconds.toFixed(1)} s, ${all} s of processor time (${most.join(', ')} of the busiest)`;
}

async function post({ url }: SandboxProcess, path: string, body: object): Promise<Record<string, unknown>> {
  const headers = { 'content-type': 'application/json' };
  return readJson(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
}

await main();
