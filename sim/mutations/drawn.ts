// `npm run sim:mutations:drawn -- --count 100 --seed 1`: faults drawn from the syntax tree of the service, and the share that neither tests nor seeds notice.
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { allFaults, drawFaults, ROOMS, roomOf } from './drawn-faults.ts';
import type { Mutation } from './mutation.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const TABLE = new URL('./drawn.md', import.meta.url);
const run = promisify(execFile);

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '100' },
    seed: { type: 'string', default: '1' },
    /** So many are left out at the beginning: a run that was ended goes on. */
    skip: { type: 'string', default: '0' },
  },
});

/** A fault that makes something wait for ever is noticed by that. */
const TIMEOUT_MS = 300_000;
const TESTS = 'apps/server/test';
const E2E: Readonly<Record<(typeof ROOMS)[number], readonly string[]>> = {
  host: [`${TESTS}/host/failed-appends.slow.test.ts`, `${TESTS}/e2e/orders.slow.test.ts`],
  settlement: [`${TESTS}/e2e/settlement.slow.test.ts`, `${TESTS}/e2e/failing-fills.slow.test.ts`],
  cluster: [`${TESTS}/cluster/remote-host.slow.test.ts`],
  wallets: [`${TESTS}/e2e/collateral.slow.test.ts`, `${TESTS}/e2e/order-permits.slow.test.ts`],
  relayer: [`${TESTS}/e2e/relayer.slow.test.ts`, `${TESTS}/e2e/relayer-story.slow.test.ts`],
};

type Room = (typeof ROOMS)[number];

interface Judge {
  readonly name: string;
  readonly command: (room: Room) => readonly string[];
}

const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--bail', '1', '--testTimeout', '120000'];
const sim = ['node_modules/.bin/tsx', 'sim/main.ts', '--processes', '1'];

const INCREMENTAL = ['--incremental', '--tsBuildInfoFile', 'node_modules/.cache/drawn.tsbuildinfo'];

/** The quick ones first: the first that notices a fault ends its trial. */
const JUDGES: readonly Judge[] = [
  { name: 'types', command: () => ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.json', ...INCREMENTAL] },
  { name: 'unit tests', command: (room) => [...vitest, '--mode', 'fast', `${TESTS}/${room}/`] },
  { name: 'seeds', command: () => [...sim, '--seeds', '15'] },
  { name: 'seeds of the cluster', command: () => [...sim, '--seeds', '4', '--cluster'] },
  { name: 'tests over the whole service', command: (room) => [...vitest, ...E2E[room]] },
];

interface Tried {
  readonly fault: Mutation;
  readonly noticedBy: string | undefined;
}

/** A copy of what git knows, so that the faults are in nobody's way; the installed packages are linked. */
async function copyRepository(): Promise<string> {
  const copy = await mkdtemp(join(tmpdir(), 'presage-drawn-'));
  await run('sh', ['-c', 'git ls-files -z | xargs -0 cp --parents -t "$0"', copy], { cwd: ROOT });
  for (const folder of ['.', 'apps/cli', 'contracts'])
    await run('sh', ['-c', 'test ! -d node_modules || cp -al node_modules "$0"', join(copy, folder)], {
      cwd: join(ROOT, folder),
    });
  return copy;
}

async function isGreen(copy: string, [program = '', ...words]: readonly string[]): Promise<boolean> {
  try {
    await run(process.execPath, [program, ...words], { cwd: copy, timeout: TIMEOUT_MS, maxBuffer: 2 ** 28 });
    return true;
  } catch {
    return false;
  }
}

async function judge(copy: string, fault: Mutation): Promise<string | undefined> {
  const path = join(copy, fault.file);
  const source = await readFile(path, 'utf8');
  await writeFile(
    path,
    source.replace(fault.find, () => fault.replace),
  );
  try {
    for (const { name, command } of JUDGES) if (!(await isGreen(copy, command(roomOf(fault))))) return name;
    return undefined;
  } finally {
    await writeFile(path, source);
  }
}

function draw(tried: readonly Tried[]): string {
  const counted = tried.filter(({ noticedBy }) => noticedBy !== 'types');
  const lives = counted.filter(({ noticedBy }) => noticedBy === undefined);
  const rows = counted.map(({ fault: { file, name }, noticedBy }) => {
    const cells = [file.replace('apps/server/src/', ''), name.replaceAll('|', '\\|'), noticedBy ?? '**lives**'];
    return `| ${cells.join(' | ')} |`;
  });
  return `# Drawn faults of the service

Faults drawn from the syntax tree of ${ROOMS.join(', ')} by a seed, rather than thought of, and what notices each first. Those that the compiler refuses are left out
(${tried.length - counted.length} of ${tried.length}). Written by \`npm run sim:mutations:drawn -- --count ${values.count} --seed ${values.seed}\`.

**${lives.length} of ${counted.length}** live (${((100 * lives.length) / Math.max(1, counted.length)).toFixed(0)} %).

| In | Fault | Noticed by |
|---|---|---|
${rows.join('\n')}
`;
}

async function requireGreen(copy: string): Promise<void> {
  const commands = new Set(ROOMS.flatMap((room) => JUDGES.map(({ command }) => command(room).join(' '))));
  for (const command of commands)
    if (!(await isGreen(copy, command.split(' ')))) throw new Error(`it fails without any fault: ${command}`);
}

const faults = drawFaults(allFaults(), Number(values.count), Number(values.seed)).slice(Number(values.skip));
const copy = await copyRepository();
try {
  await requireGreen(copy);
  const tried: Tried[] = [];
  for (const fault of faults) {
    const noticedBy = await judge(copy, fault);
    tried.push({ fault, noticedBy });
    console.log(`${tried.length} ${noticedBy ?? 'LIVES'}: ${fault.file} ${fault.name}`);
    await writeFile(TABLE, draw(tried));
  }
} finally {
  await rm(copy, { recursive: true, force: true });
}
