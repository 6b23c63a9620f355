// What an idle exchange costs: the processor time of all its processes over a minute without clients.
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { openSandbox } from '@presage/testkit';

const SETTLE_MS = 20_000;
const MEASURED_MS = 60_000;
/** What Linux counts processor time in: 100 a second on every platform that Node runs on. */
const TICKS_PER_SECOND = 100;

interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly name: string;
  readonly ticks: number;
}

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
    const value = toPercent(sum(after) - sum(before), seconds);
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

function print({ pid, name, ticks }: Process, before: number, seconds: number): void {
  console.log(`${String(pid).padStart(8)} ${name.padEnd(16)} ${toPercent(ticks - before, seconds).toFixed(2)} %`);
}

function toPercent(ticks: number, seconds: number): number {
  return Math.round((ticks / TICKS_PER_SECOND / seconds) * 10_000) / 100;
}

function sum(processes: readonly Process[]): number {
  return processes.reduce((total, { ticks }) => total + ticks, 0);
}

/** The process and all that came of it. */
function readTree(root: number): Process[] {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => readProcess(Number(pid)) ?? []);
  const tree = all.filter(({ pid }) => pid === root);
  for (const parent of tree) tree.push(...all.filter((each) => each.parent === parent.pid));
  return tree;
}

function readProcess(pid: number): Process | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const nameEnd = text.lastIndexOf(')');
    const fields = text.slice(nameEnd + 2).split(' ');
    const ticks = Number(fields[11]) + Number(fields[12]);
    return { pid, parent: Number(fields[1]), name: text.slice(text.indexOf('(') + 1, nameEnd), ticks };
  } catch {
    // It has ended since the folder was listed.
    return undefined;
  }
}

if (process.argv[1] === import.meta.filename) console.log(await measure());
