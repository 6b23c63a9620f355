// The cost of a year of quick markets and their trades: resident memory of the service, and the time to ready after
// `kill -9`.
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openSandbox, type SandboxProcess, waitFor, withoutQuickMarkets } from '@presage/testkit';
import { readMetric } from './exchange.ts';
import { type Measurement, median } from './measurement.ts';
import { writeYear } from './year-history.ts';

const MARKETS = Number(process.env.BENCH_YEAR_MARKETS ?? 70_000);
/** The view takes minutes for a million. No part of the service keeps final trades, so fewer cost the same. */
const TRADES = Number(process.env.BENCH_YEAR_TRADES ?? 70_000);
const RESTARTS = 7;
/** The collector frees memory only after a quiet period. */
const SETTLE_MS = 30_000;
const LIMIT_MS = 1_800_000;
const HOUR_MS = 3_600_000;

export async function measure(): Promise<Measurement[]> {
  const [empty, full] = [await prepare(0), await prepare(MARKETS)];
  const [emptyTimes, fullTimes]: [number[], number[]] = [[], []];
  let [emptyBytes, fullBytes] = [0, 0];
  try {
    // Alternating, so that other load on the machine affects both alike.
    for (let round = 1; round <= RESTARTS; round++) {
      const isLast = round === RESTARTS;
      const [first, second] = [await restart(empty, isLast), await restart(full, isLast)];
      emptyTimes.push(first.seconds);
      fullTimes.push(second.seconds);
      [emptyBytes, fullBytes] = [first.bytes, second.bytes];
    }
  } finally {
    for (const dataDir of [empty, full]) await rm(dataDir, { recursive: true, force: true });
  }
  const list = (times: readonly number[]) => times.map((seconds) => seconds.toFixed(1)).join(', ');
  const history = `${MARKETS.toLocaleString('en')} resolved markets and ${TRADES.toLocaleString('en')} final trades`;
  const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(0)} MB`;
  return [
    {
      key: 'year.memory',
      value: fullBytes - emptyBytes,
      conditions: `${history}, ${SETTLE_MS / 1_000} s after the start: ${megabytes(fullBytes)}; empty ${megabytes(emptyBytes)}`,
    },
    {
      key: 'year.restart',
      value: median(fullTimes) / median(emptyTimes),
      conditions: `all processes killed, ${history}: ready after ${list(fullTimes)} s; empty ${list(emptyTimes)} s`,
    },
  ];
}

/** Prepares the data folder of an exchange with this history, stopped after its view caught up. */
async function prepare(markets: number): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), 'presage-bench-'));
  // Traversable for PostgreSQL's account, like the testkit's own folders.
  await chmod(dataDir, 0o711);
  if (markets > 0) {
    const dir = join(dataDir, 'service', 'journal', 'm0');
    await writeYear(dir, { markets, trades: TRADES, endMs: Date.now() - HOUR_MS });
  }
  const sandbox = await openSandbox(withoutQuickMarkets({ dataDir }));
  const isCaughtUp = async () => (await read(sandbox, 'presage_view_lag')) === 0;
  await waitFor('the view has caught up', isCaughtUp, { timeoutMs: LIMIT_MS, pollMs: 1_000 });
  await sandbox.stop();
  return dataDir;
}

/** Measures the time from start to ready, then the service's memory; kills it again. */
async function restart(dataDir: string, isWeighed: boolean): Promise<{ seconds: number; bytes: number }> {
  const startMs = performance.now();
  const sandbox = await openSandbox(withoutQuickMarkets({ dataDir }));
  const seconds = (performance.now() - startMs) / 1_000;
  if (isWeighed) await sleep(SETTLE_MS);
  const bytes = await read(sandbox, 'process_resident_memory_bytes');
  await sandbox.killGroup();
  return { seconds, bytes };
}

function read(sandbox: SandboxProcess, name: string): Promise<number> {
  return readMetric({ url: (path) => `${sandbox.url}${path}` }, name);
}

if (process.argv[1] === import.meta.filename) console.log(await measure());
