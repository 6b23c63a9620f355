import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** As last measured: whichever of these began last would be waited for alone at the end of a run. */
const LONGEST = [
  'apps/server/test/cluster/cluster.slow',
  'apps/web/test/screens.slow',
  'sim/test/seeds.slow',
  'apps/web/test/traders.slow',
  'packages/sdk/test/packed/packed.slow',
  'apps/server/test/e2e/going-live.slow',
  'apps/server/test/e2e/quick-markets.slow',
  'apps/server/test/documents/documents.slow',
  'packages/sdk/test/e2e/wallet.slow',
  'apps/server/test/e2e/two-chains.slow',
  'apps/cli/test/e2e/cli.slow',
  'apps/server/test/e2e/resolution-faults.slow',
  // Compile the contracts where that was not done before.
  'contracts/test/invariants.slow',
  'contracts/test/solidity',
];

/** Long files first, then the other slow ones, then the many short ones, which fill the gaps at the end. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.sort((a, b) => rank(a.moduleId) - rank(b.moduleId));
  }
}

function rank(file: string): number {
  const place = LONGEST.findIndex((name) => file.endsWith(`/${name}.test.ts`));
  if (place !== -1) return place;
  return file.endsWith('.slow.test.ts') ? LONGEST.length : LONGEST.length + 1;
}

export default defineConfig(({ mode }) => ({
  test: {
    // A slow file waits for a chain, a clock or a killed process two thirds of its time: five workers keep two cores busy, and more only get in the way of each other.
    maxWorkers: 5,
    // Files of one worker share its loaded modules: loading viem and similar libraries again for each file took a fifth of the whole run.
    isolate: false,
    sequence: { sequencer: LongestFirst },
    globalSetup: ['packages/testkit/src/sandbox-template.ts'],
    // Long counts take what they take; at CI size nothing does, and a test that hangs must say so.
    testTimeout: process.env.PRESAGE_TEST_LONG === '1' ? 3_600_000 : 300_000,
    hookTimeout: 120_000,
    // Kills and races on a noisy machine: up to twice more in CI, and the report names what needed it. Never on a developer's machine.
    retry: process.env.CI ? 2 : 0,
    include: [
      'packages/*/test/**/*.test.ts',
      'apps/*/test/**/*.test.ts',
      'contracts/test/**/*.test.ts',
      'sim/test/**/*.test.ts',
      'scripts/**/*.test.ts',
    ],
    // `npm run test:fast` is what a mode is for here: a pattern on the command line is quoted differently in every shell.
    exclude: ['**/node_modules/**', ...(mode === 'fast' ? ['**/*.slow.test.ts'] : [])],
  },
}));
