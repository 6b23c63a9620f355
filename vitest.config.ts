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

/** The same at full counts, where other files are the longest. */
const LONGEST_AT_FULL_COUNT = [
  'apps/server/test/hostile/fuzz.slow',
  'sim/test/seeds.slow',
  'apps/server/test/e2e/kill-nine.slow',
  'apps/server/test/e2e/disk.slow',
  'apps/server/test/e2e/chain-unreachable.slow',
  'apps/server/test/e2e/settlement-pipeline.slow',
  'contracts/test/invariants.slow',
  'contracts/test/differential',
  'apps/server/test/e2e/read-your-writes.slow',
  'packages/sdk/test/e2e/bots.slow',
  'packages/embedded-postgres/test/crash.slow',
  'packages/embedded-postgres/test/damaged-database.slow',
  'packages/engine/test/equality.slow',
  'packages/journal/test/damage',
];

const isLongRun = process.env.PRESAGE_TEST_LONG === '1';

/** Long files first, then the other slow ones, which wait most of the time, with a short one after each to fill the gaps, then the rest. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const names = isLongRun ? [...new Set([...LONGEST_AT_FULL_COUNT, ...LONGEST])] : LONGEST;
    const longest = names.flatMap((name) => sorted.filter(({ moduleId }) => moduleId.endsWith(`/${name}.test.ts`)));
    const others = sorted.filter((file) => !longest.includes(file));
    const slow = others.filter(({ moduleId }) => moduleId.endsWith('.slow.test.ts'));
    const short = others.filter((file) => !slow.includes(file));
    return [
      ...longest,
      ...slow.flatMap((file, index) => [file, ...short.slice(index, index + 1)]),
      ...short.slice(slow.length),
    ];
  }
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
    testTimeout: isLongRun ? 4 * 3_600_000 : 600_000,
    hookTimeout: isLongRun ? 3_600_000 : 300_000,
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
