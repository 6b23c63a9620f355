// Runs the Solidity tests of one file in EDR.
import { mkdtempSync, rmSync } from 'node:fs';
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
import { type Hex, hexToBytes, toHex } from 'viem';
import * as generated from '../generated/bytecode.ts';
import { type Artifact, compileFolder, settings } from '../scripts/compile.ts';
import type { DeployableName } from '../scripts/deployable.ts';

export interface SolidityCounts {
  readonly fuzzRuns: number;
  readonly invariantRuns: number;
  readonly invariantDepth: number;
}

/** Creation codes that stand in for the generated ones. */
export type CodeOverrides = Partial<Record<DeployableName, Hex>>;

// A random seed would make failures irreproducible; long runs may set another.
export const seed = toHex(seedFromEnv(20_261_115));
const folder = 'test/solidity';
/** Changes with every comment. */
const METADATA = /a2646970667358221220[0-9a-f]{64}64736f6c63430008250033/g;

// Read by test/solidity/Production.sol, in this order from 0xc0de01.
const creationCodes: readonly (readonly [DeployableName, Hex])[] = [
  ['PresageSettlement', generated.presageSettlementBytecode],
  ['ConditionalTokensWithPermit', generated.conditionalTokensWithPermitBytecode],
  ['TestStablecoin', generated.testStablecoinBytecode],
  ['Market', generated.marketBytecode],
  ['MarketFactory', generated.marketFactoryBytecode],
  ['PriceOracle', generated.priceOracleBytecode],
  ['QuickMarket', generated.quickMarketBytecode],
  ['QuickMarketFactory', generated.quickMarketFactoryBytecode],
  ['OptimisticOracle', generated.optimisticOracleBytecode],
  ['MarketOracle', generated.marketOracleBytecode],
  ['OwnerTimelock', generated.ownerTimelockBytecode],
  ['OutcomeMarket', generated.outcomeMarketBytecode],
  ['EventMarket', generated.eventMarketBytecode],
  ['EventFactory', generated.eventFactoryBytecode],
];

/** The same as long as nothing that decides the result has changed: the tests of the file, whose code holds what they deploy, and the contracts. */
export function keyOfSuite(file: string, counts: SolidityCounts, overrides: CodeOverrides): string {
  const codes = creationCodes.map(([name, code]) => overrides[name] ?? code.replace(METADATA, ''));
  return JSON.stringify([suiteOf(file).bytecode, counts, seed, codes]);
}

export async function runSuite(
  file: string,
  counts: SolidityCounts,
  overrides: CodeOverrides = {},
): Promise<readonly TestResult[]> {
  const { artifacts, forEdr } = compileTests();
  const { id: suite } = forEdr[artifacts.indexOf(suiteOf(file))]!;
  shared ??= registerContext();
  const context = await shared;
  const scratch = mkdtempSync(join(tmpdir(), 'presage-solidity-'));
  try {
    // The suite is reported through the callback, which may come after the promise has settled.
    const finished = await new Promise<SuiteResult>((resolve, reject) => {
      const config = runnerConfig(scratch, counts, overrides);
      context.runSolidityTests(L1_CHAIN_TYPE, forEdr, [suite], config, {}, resolve).catch(reject);
    });
    return finished.testResults;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

let compiled:
  | { readonly artifacts: readonly Artifact[]; readonly forEdr: ReturnType<typeof toEdrArtifact>[] }
  | undefined;

/** Megabytes, which all suites of a process share. */
function compileTests() {
  if (compiled === undefined) {
    const artifacts = compileFolder(folder, settings.tests);
    compiled = { artifacts, forEdr: artifacts.map(toEdrArtifact) };
  }
  return compiled;
}

function suiteOf(file: string): Artifact {
  const source = `${folder}/${file}`;
  const isSuite = (artifact: Artifact) => artifact.source === source && artifact.name.endsWith('Test');
  const suite = compileTests().artifacts.find(isSuite);
  if (suite === undefined) throw new Error(`${source} has no contract whose name ends in Test`);
  return suite;
}

// EDR wants one context per process.
let shared: Promise<EdrContext> | undefined;

async function registerContext(): Promise<EdrContext> {
  const context = new EdrContext();
  await context.registerSolidityTestRunnerFactory(L1_CHAIN_TYPE, l1SolidityTestRunnerFactory());
  return context;
}

function runnerConfig(
  scratch: string,
  counts: SolidityCounts,
  overrides: CodeOverrides,
): Parameters<EdrContext['runSolidityTests']>[3] {
  return {
    projectRoot: scratch,
    hardfork: 'Osaka',
    disableBlockGasLimit: true,
    disableTransactionGasCap: true,
    localPredeploys: creationCodes.map(([name, code], index) => ({
      address: hexToBytes(toHex(0xc0de01 + index, { size: 20 })),
      code: hexToBytes(overrides[name] ?? code),
    })),
    fuzz: { runs: counts.fuzzRuns, seed, failurePersistDir: join(scratch, 'fuzz') },
    invariant: {
      runs: counts.invariantRuns,
      depth: counts.invariantDepth,
      failOnRevert: true,
      failurePersistDir: join(scratch, 'invariant'),
      // A spoilt contract is meant to fail: nobody reads its shortest counterexample.
      ...(Object.keys(overrides).length > 0 && { shrinkRunLimit: 0 }),
    },
  };
}

function toEdrArtifact({ source, name, abi, bytecode, deployedBytecode }: Artifact) {
  return {
    id: { name, source, solcVersion: '0.8.37' },
    contract: { abi: JSON.stringify(abi), bytecode, deployedBytecode },
  };
}
