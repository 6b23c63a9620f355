// `npm run sim`: runs seeds on all cores and reports their findings.
import { rm } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { readCommand } from '../scripts/command-options.ts';
import { bundleSimulator } from './bundle.ts';
import type { SeedResult } from './run-seed.ts';
import { runSeeds } from './run-seeds.ts';
import { shrinkSeed } from './shrink.ts';

const { values } = readCommand({
  usage: 'npm run sim -- [options]',
  what: 'Runs the whole service under faults from seeds, and names those that break a promise.',
  options: {
    seed: { type: 'string', value: 'N', what: 'runs this one and tells what happens' },
    trace: { type: 'boolean', default: false, what: 'with --seed, tells of the network, too' },
    shrink: { type: 'boolean', default: false, what: 'with --seed, looks for the shortest life that fails' },
    seeds: { type: 'string', value: 'N', default: '100', what: 'how many are run' },
    from: { type: 'string', value: 'N', default: '1', what: 'the first of them' },
    processes: { type: 'string', value: 'N', default: String(availableParallelism()), what: 'how many run at a time' },
    cluster: { type: 'boolean', default: false, what: 'several nodes that share a journal, instead of one' },
    events: { type: 'string', value: 'yes|no', what: 'all lives with events, or none; drawn for each seed if absent' },
    life: { type: 'string', value: 'N', what: 'the share of its life that each seed gets, such as 0.3' },
    actions: { type: 'string', value: 'N', what: 'only so many actions of traders' },
    faults: { type: 'string', value: 'N', what: 'only so many faults' },
  },
  examples: [
    'npm run sim -- --seed 7',
    'npm run sim -- --seeds 2000 --from 5001',
    'npm run sim -- --seed 7 --cluster --shrink',
  ],
});
const TELL_EVERY = 50;
const toNumber = (text: string | undefined) => (text === undefined ? undefined : Number(text));
const toChoice = (text: string | undefined) => (text === undefined ? undefined : text === 'yes');
const program = await bundleSimulator();
const lifeShare = toNumber(values.life);
const { cluster: isCluster } = values;
const events = toChoice(values.events);
const limits = {
  actions: toNumber(values.actions),
  faults: toNumber(values.faults),
  lifeShare,
  isCluster,
  events,
};

if (values.seed !== undefined) {
  const seed = Number(values.seed);
  const order = { seeds: [seed], ...limits, isTold: true, isTraced: values.trace };
  const [result] = await runSeeds({ program, order, onLine: (line) => console.log(line) });
  console.log({ counts: result?.counts, faults: result?.faults, digest: result?.digest });
  console.log(`seed ${seed}: ${result?.violations.length ? `${result.violations.length} violations` : 'no violation'}`);
  if (values.shrink && result?.violations.length)
    console.log('shrunk to', await shrinkSeed(program, { seed, lifeShare, isCluster, events }));
  process.exitCode = result?.violations.length === 0 ? 0 : 1;
} else {
  const [from, count] = [Number(values.from), Number(values.seeds)];
  const seeds = Array.from({ length: count }, (_, index) => from + index);
  const startMs = performance.now();
  const processes = Number(values.processes);
  const sums: Record<string, number> = {};
  const failed: number[] = [];
  let [cpuSeconds, done] = [0, 0];
  const onResult = ({ seed, violations, counts, faults }: SeedResult, cpuMs: number) => {
    cpuSeconds += cpuMs / 1_000;
    for (const [name, number] of Object.entries({ ...counts, faults: sum(Object.values(faults)) })) {
      sums[name] = (sums[name] ?? 0) + number;
    }
    if (violations.length > 0) failed.push(seed);
    for (const violation of violations.slice(0, 6)) console.log(`seed ${seed}: ${violation}`);
    if (++done % TELL_EVERY === 0) console.log(`${done} of ${count} seeds, ${failed.length} with violations`);
  };
  const results = await runSeeds({ program, order: { seeds, ...limits }, processes, onResult });
  const seconds = (performance.now() - startMs) / 1_000;
  console.log(
    `${results.length} seeds in ${seconds.toFixed(1)} s (${cpuSeconds.toFixed(1)} s of a core), ${failed.length} with violations: ${failed.join(' ')}`,
  );
  console.log(
    Object.entries(sums)
      .map(([name, number]) => `${number} ${name}`)
      .join(', '),
  );
  process.exitCode = failed.length === 0 && results.length === count ? 0 : 1;
}

await rm(program, { force: true });

function sum(numbers: readonly (number | undefined)[]): number {
  return numbers.reduce<number>((total, number) => total + (number ?? 0), 0);
}
