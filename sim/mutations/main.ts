// `npm run sim:mutations`: applies each named bug, one at a time, and requires that a seed or its test notices it. Seeds that did are kept.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { readCommand } from '../../scripts/command-options.ts';
import { bundleSimulator } from '../bundle.ts';
import { runSeeds } from '../run-seeds.ts';
import type { SeedsOrder } from '../seeds-process.ts';
import type { Mutation } from './mutation.ts';
import { MUTATIONS } from './mutations.ts';

interface Caught {
  readonly seed: number;
  readonly violation: string;
}

const KEPT = new URL('./caught.json', import.meta.url);
const { values } = readCommand({
  usage: 'npm run sim:mutations -- [options]',
  what: 'Puts every named bug into the service, one at a time, and says which test or seed notices it.',
  options: {
    only: {
      type: 'string',
      multiple: true,
      value: 'TEXT',
      what: 'bugs with this in their name; may be repeated',
    },
    cluster: { type: 'boolean', default: false, what: 'only those that lives of several nodes have to notice' },
    seeds: { type: 'string', value: 'N', default: '60', what: 'how many are tried for each that no kept seed catches' },
    processes: {
      type: 'string',
      value: 'N',
      default: String(availableParallelism()),
      what: 'how many seeds run at a time',
    },
  },
  examples: ['npm run sim:mutations -- --only journal', 'npm run sim:mutations -- --cluster --seeds 200'],
});

const { only = [''] } = values;
const kept: Record<string, Caught> = JSON.parse(await readFile(KEPT, 'utf8').catch(() => '{}'));
const chosen = MUTATIONS.filter(({ name, isCluster = false }) => {
  return only.some((part) => name.includes(part)) && (isCluster || !values.cluster);
});
/** Mutations that need every seed come last. */
const isOpen = ({ unnoticed }: Mutation) => Number(unnoticed !== undefined);
const waiting = [...chosen].sort((a, b) => isOpen(a) - isOpen(b));
const survivors: string[] = [];

const noticedByTests = new Set<string>();

/** Runs the test first: it is cheaper than seeds, and fails in one place. */
async function judge(mutation: Mutation): Promise<void> {
  const { name, noticedBy } = mutation;
  if (noticedBy === undefined) return judgeBySeeds(mutation);
  const isNoticed = await failsWith(name, noticedBy);
  if (isNoticed) noticedByTests.add(name);
  else survivors.push(name);
  console.log(`${name.padEnd(76)} ${isNoticed ? noticedBy : `not noticed by ${noticedBy}`}`);
}

async function failsWith(name: string, test: string): Promise<boolean> {
  const options = ['vitest', 'run', '--config', 'sim/mutations/vitest.config.ts', test];
  const vitest = spawn('npx', options, { env: { ...process.env, PRESAGE_MUTATION: name }, stdio: 'ignore' });
  const [code] = await once(vitest, 'exit');
  return code !== 0;
}

async function judgeBySeeds(mutation: Mutation): Promise<void> {
  const program = await bundleSimulator(`mutation-${MUTATIONS.indexOf(mutation)}`, mutation);
  const former = kept[mutation.name]?.seed;
  const drawn = Array.from({ length: Number(values.seeds) }, (_, index) => index + 1);
  const seeds = former === undefined ? drawn : [former, ...drawn.filter((seed) => seed !== former)];
  const { isCluster } = mutation;
  const caught = await findCatch(program, { seeds, isCluster, untilFailure: true });
  await rm(program, { force: true });
  if (caught !== undefined) {
    kept[mutation.name] = caught;
    await save();
  } else if (mutation.unnoticed === undefined) survivors.push(mutation.name);
  const found =
    caught === undefined
      ? `not noticed: ${mutation.unnoticed ?? 'why?'}`
      : `seed ${String(caught.seed).padStart(3)}  ${caught.violation}`;
  console.log(`${mutation.name.padEnd(76)} ${found.slice(0, 150)}`);
}

/** A crash of the program counts as noticed: the service would have crashed its machine's process. */
async function findCatch(program: string, order: SeedsOrder): Promise<Caught | undefined> {
  try {
    const results = await runSeeds({ program, order });
    const failing = results.find(({ violations }) => violations.length > 0);
    return failing && { seed: failing.seed, violation: failing.violations[0]!.slice(0, 200) };
  } catch (error) {
    const [first] = order.seeds;
    return { seed: typeof first === 'number' ? first : (first?.seed ?? 0), violation: String(error).slice(0, 200) };
  }
}

async function save(): Promise<void> {
  const inOrder = MUTATIONS.flatMap(({ name }) => (kept[name] === undefined ? [] : [[name, kept[name]]]));
  await writeFile(KEPT, `${JSON.stringify(Object.fromEntries(inOrder), null, 2)}\n`);
}

async function work(): Promise<void> {
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await judge(next);
}

await Promise.all(Array.from({ length: Number(values.processes) }, work));
const bySeeds = chosen.filter(({ name, noticedBy }) => noticedBy === undefined && name in kept).length;
const all = `${bySeeds + noticedByTests.size} of ${chosen.length} mutations are noticed`;
console.log(`\n${all}: ${bySeeds} by a seed, ${noticedByTests.size} by a test`);
for (const name of survivors) console.log(`survives, and no reason is known: ${name}`);
process.exitCode = survivors.length === 0 ? 0 : 1;
