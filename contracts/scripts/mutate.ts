// Changes the contracts in every way of mutations.ts, one at a time, and demands that a Solidity suite goes red: `npm run test:mutations`.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { settings, standardInputOf } from './compile.ts';
import { drawMutations } from './draw-mutations.ts';
import { applyTo, judge, requireGreen, type Verdict } from './mutation-verdict.ts';
import { type Mutation, mutations } from './mutations.ts';

const INVARIANTS_TO_CATCH = 25;
const tableFile = join(import.meta.dirname, '../test/mutations.md');

/** `--part 1/2` runs every second mutation; what is left of the arguments picks mutations by a part of their names. */
function chosenMutations(words: readonly string[]): readonly Mutation[] {
  const at = words.indexOf('--part');
  const [part, parts] = at < 0 ? [1, 1] : words[at + 1]!.split('/').map(Number);
  const names = words.filter((_, index) => at < 0 || (index !== at && index !== at + 1));
  return mutations.filter(
    ({ name }, index) =>
      index % parts! === part! - 1 && (names.length === 0 || names.some((wanted) => name.includes(wanted))),
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

const chosen = chosenMutations(process.argv.slice(2));
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
