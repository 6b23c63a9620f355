// `npm run test:mutations`: applies every mutation of mutations.ts to the contracts, one at a time, and requires that a
// Solidity suite fails.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readCommand } from '../../scripts/command-options.ts';
import { settings, standardInputOf } from './compile.ts';
import { drawMutations } from './draw-mutations.ts';
import { applyTo, judge, requireGreen, type Verdict } from './mutation-verdict.ts';
import { type Mutation, mutations } from './mutations.ts';

const INVARIANTS_TO_CATCH = 25;
const tableFile = join(import.meta.dirname, '../test/mutations.md');

const { values, positionals: parts } = readCommand({
  usage: 'npm run test:mutations -- [options] [part of a name ...]',
  what: 'Changes the contracts in every named way, one at a time, and demands that a Solidity suite goes red.',
  options: { part: { type: 'string', value: 'I/N', default: '1/1', what: 'every Nth mutation, from the Ith on' } },
  allowPositionals: true,
  examples: ['npm run test:mutations -- --part 1/2', 'npm run test:mutations -- oracle'],
});

function chosenMutations(): readonly Mutation[] {
  const [at, of] = values.part.split('/').map(Number);
  return mutations.filter(
    ({ name }, index) =>
      index % of! === at! - 1 && (parts.length === 0 || parts.some((wanted) => name.includes(wanted))),
  );
}

function isCaught({ invariant, unitTest }: Verdict): boolean {
  return invariant !== undefined || unitTest !== undefined;
}

async function judgeAll(chosen: readonly Mutation[]): Promise<Verdict[]> {
  const verdicts: Verdict[] = [];
  for (const mutation of chosen) {
    const verdict = await judge(mutation);
    verdicts.push(verdict);
    const found = `invariants: ${verdict.invariant ?? '-'}; unit tests: ${verdict.unitTest ?? '-'}`;
    console.log(`${isCaught(verdict) ? 'caught' : 'SURVIVES'}  ${mutation.name}: ${found}`);
  }
  return verdicts;
}

const chosen = chosenMutations();
const input = standardInputOf('src', settings.mutations);
for (const mutation of mutations) applyTo(mutation, input);
await requireGreen();
console.log('green without any mutation');
const verdicts = await judgeAll(chosen);
const caught = verdicts.filter(isCaught);
const byInvariants = verdicts.filter(({ invariant }) => invariant !== undefined);
console.log(`\n${caught.length} of ${verdicts.length} mutations are caught, ${byInvariants.length} by the invariants.`);
for (const verdict of verdicts) if (!isCaught(verdict)) console.log(`survives: ${verdict.mutation.name}`);
const isWhole = chosen.length === mutations.length;
if (isWhole) writeFileSync(tableFile, drawMutations(verdicts));
const isEnough = !isWhole || byInvariants.length >= INVARIANTS_TO_CATCH;
process.exitCode = caught.length === verdicts.length && isEnough ? 0 : 1;
