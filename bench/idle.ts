// Processor time of an idle exchange: all its processes over a minute without clients.
import { setTimeout as sleep } from 'node:timers/promises';
import { openSandbox } from '@presage/testkit';
import { type ProcessTime, readTree, sumTicks, TICKS_PER_SECOND } from './process-tree.ts';

const SETTLE_MS = 20_000;
const MEASURED_MS = 60_000;

interface Measured {
  readonly key: string;
  readonly value: number;
  readonly conditions: string;
}

/** Percent of one core. */
export async function measure(): Promise<Measured> {
  const sandbox = await openSandbox();
  try {
    await sleep(SETTLE_MS);
    const before = readTree(sandbox.pid);
    const startMs = performance.now();
    await sleep(MEASURED_MS);
    const after = readTree(sandbox.pid);
    const seconds = (performance.now() - startMs) / 1_000;
    for (const each of after) print(each, before.find(({ pid }) => pid === each.pid)?.ticks ?? 0, seconds);
    const value = toPercent(sumTicks(after) - sumTicks(before), seconds);
    return {
      key: 'idle.cpu',
      value,
      conditions: `all processes of npm start, quick markets on, ${MEASURED_MS / 1_000} s`,
    };
  } finally {
    await sandbox.stop();
    await sandbox.discard();
  }
}

function print({ pid, name, ticks }: ProcessTime, before: number, seconds: number): void {
  console.log(`${String(pid).padStart(8)} ${name.padEnd(16)} ${toPercent(ticks - before, seconds).toFixed(2)} %`);
}

function toPercent(ticks: number, seconds: number): number {
  return Math.round((ticks / TICKS_PER_SECOND / seconds) * 10_000) / 100;
}

if (process.argv[1] === import.meta.filename) console.log(await measure());
