// `npm run test:mutations:drawn`: draws faults from the syntax tree, and reports the share that no Solidity suite
// notices.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readCommand } from '../../scripts/command-options.ts';
import { settings, standardInputOf } from './compile.ts';
import { allFaults, drawFaults } from './drawn-mutations.ts';
import { firstRedFor, mutatedCode, requireGreen } from './mutation-verdict.ts';
import type { Mutation } from './mutations.ts';

const tableFile = join(import.meta.dirname, '../test/drawn-mutations.md');
const { values } = readCommand({
  usage: 'npm run test:mutations:drawn -- [options]',
  what: 'Draws faults from the syntax tree of the contracts, and says which share of them no Solidity suite notices.',
  options: {
    count: { type: 'string', value: 'N', default: '40', what: 'how many are tried' },
    seed: { type: 'string', value: 'N', default: '1', what: 'what they are drawn from' },
  },
  examples: ['npm run test:mutations:drawn -- --count 10 --seed 3'],
});
const [wanted, seed] = [Number(values.count), Number(values.seed)];
/** More faults are drawn than wanted, because some do not compile or change nothing. */
const SPARE = 3;

interface Tried {
  readonly mutation: Mutation;
  readonly noticedBy: string | undefined;
}

/** Returns undefined for a fault that does not compile, or that compiles to the same code. */
async function tryOut(mutation: Mutation): Promise<Tried | undefined> {
  try {
    const code = mutatedCode(mutation);
    return code === undefined ? undefined : { mutation, noticedBy: await firstRedFor(mutation, code) };
  } catch (error) {
    // Any other error than a compiler's refusal, or a text that occurs twice, is a bug here.
    if (error instanceof Error && /Error: |does not fit/.test(error.message)) return undefined;
    throw error;
  }
}

function draw(tried: readonly Tried[]): string {
  const lives = tried.filter(({ noticedBy }) => noticedBy === undefined);
  const rows = tried.map(({ mutation: { file, name }, noticedBy }) => {
    const cells = [file.split('/').at(-1), name.replaceAll('|', '\\|'), noticedBy ?? '**lives**'];
    return `| ${cells.join(' | ')} |`;
  });
  return `# Drawn mutations

Faults drawn from the syntax tree of the contracts by a seed, rather than thought of, and the first Solidity test that notices each. Faults that do not compile, or of which the compiler
makes the same code, are left out. Written by \`npm run test:mutations:drawn -- --count ${wanted} --seed ${seed}\`.

**${lives.length} of ${tried.length}** live (${((100 * lives.length) / tried.length).toFixed(0)} %).

| In | Fault | Noticed by |
|---|---|---|
${rows.join('\n')}
`;
}

await requireGreen();
const tried: Tried[] = [];
const faults = allFaults(standardInputOf('src', settings.mutations));
for (const mutation of drawFaults(faults, wanted * SPARE, seed)) {
  if (tried.length >= wanted) break;
  const result = await tryOut(mutation);
  if (result === undefined) continue;
  tried.push(result);
  console.log(`${tried.length} ${result.noticedBy ?? 'LIVES'}: ${mutation.file} ${mutation.name}`);
}
writeFileSync(tableFile, draw(tried));
