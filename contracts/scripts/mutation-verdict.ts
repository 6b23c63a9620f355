// Judges one mutation: which invariant and which unit test notice it. Results of a suite are cached by both codes.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Hex } from 'viem';
import { type CodeOverrides, keyOfSuite, runSuite, type SolidityCounts } from '../test/run-suite.ts';
import { compileInput, type StandardInput, settings, standardInputOf } from './compile.ts';
import { type DeployableName, sourceOf } from './deployable.ts';
import type { Mutation } from './mutations.ts';

export interface Verdict {
  readonly mutation: Mutation;
  /** The first failure of the invariant suite, which includes its handler's assertions; undefined if none failed. */
  readonly invariant: string | undefined;
  /** The suite and its first failing test; undefined if none failed. */
  readonly unitTest: string | undefined;
}

const counts: SolidityCounts = { fuzzRuns: 32, invariantRuns: 4, invariantDepth: 100 };
const INVARIANTS = 'Invariants.t.sol';
const UNIT_SUITES = [
  'Settlement.t.sol',
  'SettlementRefusals.t.sol',
  'MarketEnds.t.sol',
  'SettlementControls.t.sol',
  'Leaving.t.sol',
  'Wallets.t.sol',
  'TokenFaults.t.sol',
  'Isolation.t.sol',
  'Deposits.t.sol',
  'LedgerFills.t.sol',
  'TakerTill.t.sol',
  'ConditionalTokens.t.sol',
  'Markets.t.sol',
  'Bonds.t.sol',
  'OptimisticOracle.t.sol',
  'QuickMarkets.t.sol',
  'PriceOracle.t.sol',
  'Resolution.t.sol',
  'Proposals.t.sol',
  'EarlyResolution.t.sol',
  'MarketOracle.t.sol',
  'OwnerTimelock.t.sol',
] as const;
/** Suites likely to notice a fault of each contract, which are run first. */
const LIKELY_SUITES: Partial<Record<DeployableName, readonly (typeof UNIT_SUITES)[number][]>> = {
  ConditionalTokensWithPermit: ['ConditionalTokens.t.sol', 'Settlement.t.sol', 'SettlementRefusals.t.sol'],
  Market: ['Resolution.t.sol', 'Proposals.t.sol', 'Bonds.t.sol', 'Markets.t.sol'],
  OptimisticOracle: ['OptimisticOracle.t.sol'],
  QuickMarket: ['QuickMarkets.t.sol'],
  PriceOracle: ['PriceOracle.t.sol'],
};
const cacheFolder = join(import.meta.dirname, '../.cache');

/** Applies one fault to the sources. Throws unless each text to replace occurs exactly once. */
export function applyTo({ name, file, from, to }: Mutation, input: StandardInput): StandardInput {
  const path = `src/${file}`;
  const content = input.sources[path]?.content;
  if (content === undefined || content.split(from).length !== 2) throw new Error(`"${name}" does not fit ${path}`);
  return { ...input, sources: { ...input.sources, [path]: { content: content.replace(from, () => to) } } };
}

export async function judge(mutation: Mutation): Promise<Verdict> {
  const code = mutatedCode(mutation);
  if (code === undefined) throw new Error(`"${mutation.name}" changes nothing`);
  const overrides = { [mutation.contract]: code };
  const invariant = await firstRed([INVARIANTS], overrides);
  return { mutation, invariant, unitTest: await firstRed(suitesFor(mutation.contract), overrides) };
}

/** The first failing test of any suite; undefined if none fails. */
export function firstRedFor(mutation: Mutation, code: Hex): Promise<string | undefined> {
  return firstRed([...suitesFor(mutation.contract), INVARIANTS], { [mutation.contract]: code });
}

/** Code of the contract with the fault; undefined if the fault does not change the code. */
export function mutatedCode(mutation: Mutation): Hex | undefined {
  const input = standardInputOf('src', settings.mutations);
  const code = codeOf(mutation.contract, applyTo(mutation, input));
  return code === codeOf(mutation.contract, input) ? undefined : code;
}

/**
 * Requires that the unmutated code passes all suites at the same counts: a suite that fails anyway would seem to notice
 * everything.
 */
export async function requireGreen(): Promise<void> {
  const red = await firstRed([INVARIANTS, ...UNIT_SUITES], {});
  if (red !== undefined) throw new Error(`without any mutation ${red} is red`);
}

function suitesFor(contract: DeployableName): readonly string[] {
  return [...new Set([...(LIKELY_SUITES[contract] ?? []), ...UNIT_SUITES])];
}

async function firstRed(suites: readonly string[], overrides: CodeOverrides): Promise<string | undefined> {
  for (const suite of suites) {
    const red = await remember(`suite-${digest([keyOfSuite(suite, counts, overrides)])}.txt`, async () => {
      const failed = (await runSuite(suite, counts, overrides)).find(({ status }) => status === 'Failure');
      return failed?.name.split('(')[0] ?? '';
    });
    if (red !== '') return `${suite} ${red}`;
  }
  return undefined;
}

function codeOf(contract: DeployableName, input: StandardInput): Hex {
  const source = sourceOf(contract, input);
  const outputSelection = { [source]: { [contract]: ['evm.bytecode.object'] } };
  const chosen = { ...input, settings: { ...input.settings, outputSelection } };
  const file = join(cacheFolder, `mutation-${digest([chosen])}.txt`);
  if (!existsSync(file)) write(file, compileInput(chosen, source, contract));
  // Written below with the result of `compileInput`.
  return readFileSync(file, 'utf8') as Hex;
}

async function remember(name: string, make: () => Promise<string>): Promise<string> {
  const file = join(cacheFolder, name);
  if (!existsSync(file)) write(file, await make());
  return readFileSync(file, 'utf8');
}

// Several processes may run at once; the rename is atomic.
function write(file: string, content: string): void {
  mkdirSync(cacheFolder, { recursive: true });
  writeFileSync(`${file}.${process.pid}`, content);
  renameSync(`${file}.${process.pid}`, file);
}

function digest(parts: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32);
}
