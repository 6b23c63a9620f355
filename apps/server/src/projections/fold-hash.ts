// Hashes the code that fills the view, so that a database filled by other code is recognised.
import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'esbuild';

/** Code that turns a journal into rows: the models with all that they call, and the upgrades of older records. */
const SOURCES = ['./view-fold.ts', '../../../../packages/protocol/src/records/record-upgrades.ts'];

/** Bundles only those modules of a package that the models use. */
const ONLY_WHAT_IS_USED: Plugin = {
  name: 'only what is used',
  setup: ({ onResolve, resolve: find }) =>
    onResolve({ filter: /^@presage\// }, async ({ path, pluginData, ...from }) => {
      if (pluginData === 'asked') return undefined;
      const { importer, kind, resolveDir } = from;
      const found = await find(path, { importer, kind, resolveDir, pluginData: 'asked' });
      return { path: found.path, errors: found.errors, sideEffects: false };
    }),
};

/** Bundles without types, comments and names of locals: changes to these do not change the rows. */
async function bundleOf(source: string, plugins: readonly Plugin[]): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL(source, import.meta.url))],
    bundle: true,
    minify: true,
    treeShaking: true,
    write: false,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    legalComments: 'none',
    plugins: [ONLY_WHAT_IS_USED, ...plugins],
  });
  return outputFiles.map(({ text }) => text).join('');
}

/** `plugins` let a test compute the hash after a change. */
export async function hashFold(plugins: readonly Plugin[] = []): Promise<string> {
  const bundles = await Promise.all(SOURCES.map((source) => bundleOf(source, plugins)));
  return createHash('sha256').update(bundles.join('\n')).digest('hex').slice(0, 32);
}
