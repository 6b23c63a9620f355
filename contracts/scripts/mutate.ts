// Changes the contracts in every way of mutations.ts, one at a time, and demands that a Solidity suite goes red: `npm run test:mutations`.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CodeOverrides, runSuite, type SolidityCounts } from '../test/run-suite.ts';
import { compileInput, settings, standardInputOf } from './compile.ts';
import { sourceOf } from './deployable.ts';
import { type Mutation, mutations } from './mutations.ts';

const INVARIANTS = 'Invariants.t.sol';
/** Tried in this order once the invariants have let a mutation pass. */
const UNIT_SUITES = [
  'Settlement.t.sol',
  'Isolation.t.sol',
  'TokenFaults.t.sol',
  'Leaving.t.sol',
  'Wallets.t.sol',
  'SettlementControls.t.sol',
  'ConditionalTokens.t.sol',
  'Markets.t.sol',
  'Resolution.t.sol',
  'Bonds.t.sol',
  'OptimisticOracle.t.sol',
  'QuickMarkets.t.sol',
  'PriceOracle.t.sol',
] as const;
const INVARIANTS_TO_CATCH = 25;
const counts: SolidityCounts = { fuzzRuns: 32, invariantRuns: 4, invariantDepth: 100 };
const cacheFolder = join(import.meta.dirname, '../.cache');

interface Verdict {
  readonly mutation: Mutation;
  /** The suite that went red and the first test in it; undefined if none did. */
  readonly caughtBy: string | undefined;
}

/** A fault in what is built is no mutation: every text to be changed must be there, once. */
function applyTo(sources: Readonly<Record<string, { readonly content: string }>>, { name, file, from, to }: Mutation) {
  const path = `src/${file}`;
  const content = sources[path]?.content;
  if (content === undefined || content.split(from).length !== 2) throw new Error(`"${name}" does not fit ${path}`);
  return { ...sources, [path]: { content: content.replace(from, () => to) } };
}

function toOverrides(mutation: Mutation): CodeOverrides {
  const input = standardInputOf('src', settings.production);
  const source = sourceOf(mutation.contract, input);
  const outputSelection = { [source]: { [mutation.contract]: ['evm.bytecode.object'] } };
  const changed = { ...input, sources: applyTo(input.sources, mutation) };
  const key = createHash('sha256')
    .update(JSON.stringify([changed, mutation.contract]))
    .digest('hex')
    .slice(0, 32);
  const file = join(cacheFolder, `mutation-${key}.txt`);
  if (!existsSync(file)) {
    mkdirSync(cacheFolder, { recursive: true });
    writeFileSync(
      file,
      compileInput({ ...changed, settings: { ...changed.settings, outputSelection } }, source, mutation.contract),
    );
  }
  return { [mutation.contract]: readFileSync(file, 'utf8') as `0x${string}` };
}

async function judge(mutation: Mutation): Promise<Verdict> {
  const overrides = toOverrides(mutation);
  for (const suite of [INVARIANTS, ...UNIT_SUITES]) {
    const results = await runSuite(suite, counts, overrides);
    const red = results.find(({ status }) => status === 'Failure');
    if (red !== undefined) return { mutation, caughtBy: `${suite} ${red.name.split('(')[0]}` };
  }
  return { mutation, caughtBy: undefined };
}

/** A suite that is red by itself would catch everything: what is not mutated must pass all of them, at the same counts. */
async function requireGreen(): Promise<void> {
  for (const suite of [INVARIANTS, ...UNIT_SUITES]) {
    const red = (await runSuite(suite, counts, {})).find(({ status }) => status === 'Failure');
    if (red !== undefined) throw new Error(`without any mutation ${suite} ${red.name} is red`);
  }
  console.log('green without any mutation');
}

function report(verdicts: readonly Verdict[]): boolean {
  const caught = verdicts.filter(({ caughtBy }) => caughtBy !== undefined);
  const byInvariants = caught.filter(({ caughtBy }) => caughtBy!.startsWith(INVARIANTS));
  console.log(
    `\n${caught.length} of ${verdicts.length} mutations are caught, ${byInvariants.length} by the invariants alone.`,
  );
  for (const { mutation, caughtBy } of verdicts) if (caughtBy === undefined) console.log(`survives: ${mutation.name}`);
  return caught.length === verdicts.length && byInvariants.length >= INVARIANTS_TO_CATCH;
}

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

const chosen = chosenMutations(process.argv.slice(2));
const { sources } = standardInputOf('src', settings.production);
for (const mutation of chosen) applyTo(sources, mutation);
await requireGreen();
const verdicts: Verdict[] = [];
for (const mutation of chosen) {
  const verdict = await judge(mutation);
  verdicts.push(verdict);
  console.log(
    `${verdict.caughtBy === undefined ? 'SURVIVES' : 'caught'}  ${mutation.name}: ${verdict.caughtBy ?? '-'}`,
  );
}
const isWhole = chosen.length === mutations.length;
process.exitCode = report(verdicts) || (!isWhole && verdicts.every(({ caughtBy }) => caughtBy !== undefined)) ? 0 : 1;
