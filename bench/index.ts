// Runs the benchmark's modules in sequence and prints one table: `npm run bench`, or `npm run bench -- engine gas` for some.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { availableParallelism, cpus, loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';
import { readCommand } from '../scripts/command-options.ts';
import { GOALS, type Goal, isMet } from './goals.ts';
import type { Measurement } from './measurement.ts';
import { MODULES } from './modules.ts';

interface Answer {
  readonly measurements?: readonly Measurement[];
  readonly failure?: string;
}

const RESULTS = new URL('results/latest.json', import.meta.url);

/** Runs in its own process, so that no module measures the heap left by another. */
async function runModule(name: string): Promise<Answer> {
  if (MODULES[name] === undefined) return { failure: 'there is no such module' };
  const execArgv = ['--import', import.meta.resolve('tsx'), '--expose-gc', '--max-old-space-size=8192'];
  const child = fork(fileURLToPath(import.meta.url), [name], { execArgv, env: { ...process.env, BENCH_MODULE: name } });
  const ended = once(child, 'exit').then(([code]): Answer => ({ failure: `ended with ${code}` }));
  const answered = once(child, 'message').then(([answer]): Answer => answer);
  const answer = await Promise.race([answered, ended]);
  await ended;
  return answer;
}

async function answerParent(name: string): Promise<void> {
  const measure = MODULES[name]!;
  const answer: Answer = await measure().then(
    (measured) => ({ measurements: [measured].flat() }),
    (error: unknown) => ({ failure: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
  );
  process.send?.(answer, () => process.exit(0));
}

function describeMachine(): string {
  const [load = 0] = loadavg();
  const cores = `${availableParallelism()} x ${cpus()[0]?.model}`;
  return `Node ${process.version}, ${process.arch}, ${cores}, load average ${load.toFixed(1)} at the start`;
}

function printLine(goal: Goal, measured: Measurement | undefined): void {
  const format = (value: number) =>
    `${value.toLocaleString('en', { maximumFractionDigits: 2 })}${goal.unit === 'bytes' ? '' : goal.unit}`;
  const reach = 'atLeast' in goal.reach ? `>= ${format(goal.reach.atLeast)}` : `<= ${format(goal.reach.atMost)}`;
  const verdict = measured === undefined ? '-' : isMet(goal, measured.value) ? 'met' : 'not met';
  const cells = [goal.key.padEnd(34), (measured ? format(measured.value) : '-').padStart(10), reach.padStart(12)];
  console.log(`${cells.join(' ')}  ${verdict.padEnd(8)} ${goal.what}`);
  if (measured) console.log(`${' '.repeat(8)}${measured.conditions}`);
}

async function main(names: readonly string[]): Promise<void> {
  const [machine, startedAt] = [describeMachine(), new Date()];
  const [measurements, failures]: [Measurement[], Record<string, string>] = [[], {}];
  for (const name of names) {
    const startMs = performance.now();
    const { measurements: measured = [], failure } = await runModule(name);
    measurements.push(...measured);
    if (failure !== undefined) failures[name] = failure;
    console.error(`${name}: ${failure ?? 'measured'} in ${((performance.now() - startMs) / 1000).toFixed(0)} s`);
  }
  console.log(`\n${machine}\n`);
  const isAll = names.length === Object.keys(MODULES).length;
  for (const goal of GOALS) {
    const measured = measurements.find(({ key }) => key === goal.key);
    if (isAll || measured) printLine(goal, measured);
  }
  const seconds = Math.round((Date.now() - startedAt.getTime()) / 1000);
  console.log(`\n${seconds} s in all`);
  await mkdir(new URL('.', RESULTS), { recursive: true });
  const results = { machine, startedAt: startedAt.toISOString(), seconds, measurements, failures };
  await writeFile(RESULTS, `${JSON.stringify(results, undefined, 2)}\n`);
  process.exitCode = Object.keys(failures).length === 0 ? 0 : 1;
}

/** The modules named on the command line; all by default. */
function askedModules(): readonly string[] {
  const all = Object.keys(MODULES);
  const { positionals } = readCommand({
    usage: 'npm run bench -- [module ...]',
    what: `Measures and compares with what each figure should reach; all modules without a name, about 25 minutes.\n\nModules:\n  ${all.join(' ')}`,
    options: {},
    allowPositionals: true,
    names: all,
    examples: ['npm run bench', 'npm run bench -- engine gas'],
  });
  return positionals.length > 0 ? positionals : all;
}

const own = process.env.BENCH_MODULE;
await (own === undefined ? main(askedModules()) : answerParent(own));
