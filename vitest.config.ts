import { defineConfig } from 'vitest/config';

const slow = ['**/*.slow.test.ts'];

export default defineConfig({
  test: {
    // Most slow files wait for a chain, a clock or a killed process: on two cores a third worker fills the gaps, a fourth fights.
    maxWorkers: 3,
    // Files of one worker share its loaded modules: loading viem and similar libraries again for each file took a fifth of the whole run.
    isolate: false,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Kills and races on a noisy machine: once more in CI, and the report names what needed it. Never on a developer's machine.
    retry: process.env.CI ? 1 : 0,
    projects: [
      {
        extends: true,
        test: {
          name: 'fast',
          include: [
            'packages/*/test/**/*.test.ts',
            'apps/*/test/**/*.test.ts',
            'contracts/test/**/*.test.ts',
            'scripts/**/*.test.ts',
          ],
          exclude: ['**/node_modules/**', ...slow],
        },
      },
      {
        extends: true,
        test: {
          name: 'slow',
          include: [
            'packages/*/test/**/*.slow.test.ts',
            'apps/*/test/**/*.slow.test.ts',
            'contracts/test/**/*.slow.test.ts',
          ],
          // Long counts take what they take; at CI size nothing does, and a test that hangs must say so.
          testTimeout: process.env.PRESAGE_TEST_LONG === '1' ? 3_600_000 : 300_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
});
