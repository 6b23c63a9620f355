// Runs the Solidity tests of one file in EDR and hands each result to vitest as a test of its own.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  EdrContext,
  L1_CHAIN_TYPE,
  l1SolidityTestRunnerFactory,
  type SuiteResult,
  type TestResult,
} from '@nomicfoundation/edr';
import { seedFromEnv } from '@presage/testkit';
import { hexToBytes, toHex } from 'viem';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  conditionalTokensWithPermitBytecode,
  marketBytecode,
  marketFactoryBytecode,
  optimisticOracleBytecode,
  presageSettlementBytecode,
  priceOracleBytecode,
  quickMarketBytecode,
  quickMarketFactoryBytecode,
  testStablecoinBytecode,
} from '../generated/bytecode.ts';
import { type Artifact, compileFolder, settings } from '../scripts/compile.ts';

export interface SolidityCounts {
  readonly fuzzRuns: number;
  readonly invariantRuns: number;
  readonly invariantDepth: number;
}

// A random seed would make failures irreproducible; long runs may set another.
const seed = toHex(seedFromEnv(20_261_115));
const folder = 'test/solidity';

// Read by test/solidity/Production.sol, in this order from 0xc0de01.
const creationCodes = [
  presageSettlementBytecode,
  conditionalTokensWithPermitBytecode,
  testStablecoinBytecode,
  marketBytecode,
  marketFactoryBytecode,
  priceOracleBytecode,
  quickMarketBytecode,
  quickMarketFactoryBytecode,
  optimisticOracleBytecode,
] as const;

/** Describes every `test…` and `invariant…` function of a file of `test/solidity`, titled by its name as a sentence. */
export function describeSolidity(file: string, counts: SolidityCounts): void {
  const source = readFileSync(join(import.meta.dirname, 'solidity', file), 'utf8');
  const names = [...source.matchAll(/function ((?:test|testFuzz|invariant)_\w+)\(/g)].map(([, name]) => name!);
  describe(file, () => {
    let results: readonly TestResult[] = [];
    beforeAll(async () => {
      results = await runSuite(`${folder}/${file}`, counts);
    }, 3_600_000);
    it.each(names.map((name) => [toSentence(name), name]))('%s', (_title, name) => {
      const result = results.find((candidate) => candidate.name.startsWith(`${name}(`));
      expect(result, results.map(explain).join('\n')).toBeDefined();
      expect(result!.status, explain(result!)).toBe('Success');
    });
  });
}

async function runSuite(source: string, counts: SolidityCounts): Promise<readonly TestResult[]> {
  const artifacts = compileFolder(folder, settings.tests).map(toEdrArtifact);
  const suite = artifacts.map(({ id }) => id).find((id) => id.source === source && id.name.endsWith('Test'));
  if (suite === undefined) throw new Error(`${source} has no contract whose name ends in Test`);
  shared ??= registerContext();
  const context = await shared;
  const scratch = mkdtempSync(join(tmpdir(), 'presage-solidity-'));
  try {
    // The suite is reported through the callback, which may come after the promise has settled.
    const finished = await new Promise<SuiteResult>((resolve, reject) => {
      const config = runnerConfig(scratch, counts);
      context.runSolidityTests(L1_CHAIN_TYPE, artifacts, [suite], config, {}, resolve).catch(reject);
    });
    return finished.testResults;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

// EDR wants one context per process.
let shared: Promise<EdrContext> | undefined;

async function registerContext(): Promise<EdrContext> {
  const context = new EdrContext();
  await context.registerSolidityTestRunnerFactory(L1_CHAIN_TYPE, l1SolidityTestRunnerFactory());
  return context;
}

function runnerConfig(scratch: string, counts: SolidityCounts): Parameters<EdrContext['runSolidityTests']>[3] {
  return {
    projectRoot: scratch,
    hardfork: 'Prague',
    disableBlockGasLimit: true,
    disableTransactionGasCap: true,
    localPredeploys: creationCodes.map((code, index) => ({
      address: hexToBytes(toHex(0xc0de01 + index, { size: 20 })),
      code: hexToBytes(code),
    })),
    fuzz: { runs: counts.fuzzRuns, seed, failurePersistDir: join(scratch, 'fuzz') },
    invariant: {
      runs: counts.invariantRuns,
      depth: counts.invariantDepth,
      failOnRevert: true,
      failurePersistDir: join(scratch, 'invariant'),
    },
  };
}

function toEdrArtifact({ source, name, abi, bytecode, deployedBytecode }: Artifact) {
  return {
    id: { name, source, solcVersion: '0.8.37' },
    contract: { abi: JSON.stringify(abi), bytecode, deployedBytecode },
  };
}

function toSentence(name: string): string {
  const words = name.slice(name.indexOf('_') + 1).replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return name.startsWith('testFuzz') ? `${words} (fuzzed)` : words;
}

function explain(result: TestResult): string {
  const { counterexample } = result;
  if (!counterexample) return `${result.name}: ${result.reason}`;
  const calls = 'sequence' in counterexample ? counterexample.sequence : [counterexample];
  const trail = calls.map((call) => `${call.signature ?? ''}(${call.args ?? ''})`).join('\n  ');
  return `${result.name}: ${result.reason}, seed ${seed}\n  ${trail}`;
}
