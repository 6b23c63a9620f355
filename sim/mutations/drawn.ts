// `npm run sim:mutations:drawn -- --count 100 --seed 1`: draws faults from the syntax tree of the service, and reports
// the share that neither tests nor seeds notice.
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { readCommand } from '../../scripts/command-options.ts';
import { allFaults, drawFaults, ROOMS, roomOf } from './drawn-faults.ts';
import type { Mutation } from './mutation.ts';
import { TypeCheck } from './type-check.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const TABLE = new URL('./drawn.md', import.meta.url);
const run = promisify(execFile);

const { values } = readCommand({
  usage: 'npm run sim:mutations:drawn -- [options]',
  what: 'Draws faults from the syntax tree of the service, and says which share of them a test notices.',
  options: {
    count: { type: 'string', value: 'N', default: '100', what: 'how many are tried' },
    seed: { type: 'string', value: 'N', default: '1', what: 'what they are drawn from' },
    continue: {
      type: 'boolean',
      default: false,
      what: 'goes on behind the faults in the table of a run that was ended',
    },
  },
  examples: ['npm run sim:mutations:drawn -- --count 20 --seed 3', 'npm run sim:mutations:drawn -- --continue'],
});

/** More faults are drawn than tried, because the compiler refuses some. */
const DRAWN_FOR_EACH = 3;
/** A fault that makes something wait forever is noticed by this timeout. */
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

/** Fast ones first: the first that notices a fault ends its trial. */
const JUDGES: readonly Judge[] = [
  { name: 'unit tests', command: (room) => [...vitest, '--mode', 'fast', `${TESTS}/${room}/`] },
  { name: 'seeds', command: () => [...sim, '--seeds', '15'] },
  { name: 'seeds of the cluster', command: () => [...sim, '--seeds', '4', '--cluster'] },
  { name: 'tests over the whole service', command: (room) => [...vitest, ...E2E[room]] },
];

/**
 * Works on a copy of the files known to git, with links to the installed packages, so that the faults disturb nobody.
 */
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

const LIVES = '**lives**';
const ROW = /^\| (?!In |---).*\|$/;

function toRow({ file, name }: Mutation, noticedBy = LIVES): string {
  return `| ${[file.replace('apps/server/src/', ''), name.replaceAll('|', '\\|'), noticedBy].join(' | ')} |`;
}

/** Text below the table is kept. */
const NOTES = '\n## What became of those that live\n';

function toTable(rows: readonly string[], refused: number, notes: string): string {
  const lives = rows.filter((row) => row.endsWith(`${LIVES} |`)).length;
  return `# Drawn faults of the service

Faults drawn from the syntax tree of ${ROOMS.join(', ')} by a seed, rather than thought of, and what notices each first. Those that the compiler refuses are left out
(${refused} of ${rows.length + refused}). Written by \`npm run sim:mutations:drawn -- --count ${values.count} --seed ${values.seed}\`.

**${lives} of ${rows.length}** live (${((100 * lives) / Math.max(1, rows.length)).toFixed(0)} %).

| In | Fault | Noticed by |
|---|---|---|
${rows.join('\n')}
${notes}`;
}

async function readTable() {
  const text = await readFile(TABLE, 'utf8').catch(() => '');
  const [table = '', notes] = text.split(NOTES);
  return { rows: table.split('\n').filter((line) => ROW.test(line)), notes: notes === undefined ? '' : NOTES + notes };
}

async function requireGreen(copy: string): Promise<void> {
  const commands = new Set(ROOMS.flatMap((room) => JUDGES.map(({ command }) => command(room).join(' '))));
  for (const command of commands)
    if (!(await isGreen(copy, command.split(' ')))) throw new Error(`it fails without any fault: ${command}`);
}

const count = Number(values.count);
const kept = await readTable();
const rows = values.continue ? kept.rows : [];
const done = rows.length;
const types = new TypeCheck(ROOT);
const copy = await copyRepository();
try {
  await requireGreen(copy);
  let [refused, compiled] = [0, 0];
  for (const fault of drawFaults(allFaults(), DRAWN_FOR_EACH * count, Number(values.seed))) {
    if (rows.length >= count) break;
    if (!types.accepts(fault)) {
      refused++;
      continue;
    }
    if (++compiled <= done) continue;
    const noticedBy = await judge(copy, fault);
    rows.push(toRow(fault, noticedBy));
    console.log(`${rows.length} ${noticedBy ?? 'LIVES'}: ${fault.file} ${fault.name}`);
    await writeFile(TABLE, toTable(rows, refused, kept.notes));
  }
} finally {
  await rm(copy, { recursive: true, force: true });
}
