// Runs a test with one named bug in the sources: `PRESAGE_MUTATION=NAME npx vitest run --config sim/mutations/vitest.config.ts FILE`.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig, mergeConfig } from 'vitest/config';
import base from '../../vitest.config.ts';
import { applyChange } from '../bundle.ts';
import { MUTATIONS } from './mutations.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const mutation = MUTATIONS.find(({ name }) => name === process.env.PRESAGE_MUTATION);
const path = mutation && join(ROOT, mutation.file);

export default defineConfig((environment) =>
  mergeConfig(base(environment), {
    root: ROOT,
    plugins: [
      {
        name: 'mutation',
        enforce: 'pre',
        configResolved: () => {
          if (mutation === undefined) throw new Error('PRESAGE_MUTATION names no mutation');
        },
        load: async (id: string) =>
          mutation && id === path ? applyChange(mutation, await readFile(id, 'utf8')) : null,
      },
    ],
  }),
);
