// Hashes the code that fills the view: a database that other code has filled is known by it.
import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'esbuild';

/** What makes rows of a journal: the models with all that they call, and what becomes of older records. */
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

/** Bundled and without types, comments and names of locals: these may change and the rows stay the same. */
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

/** A source file with another text than it has. */
export interface ChangedSource {
  readonly path: string;
  readonly text: string;
}

/** `changed` shows a test what the hash would be after a change. */
export async function hashFold(changed?: ChangedSource): Promise<string> {
  const plugins = changed === undefined ? [] : [replacing(changed)];
  const bundles = await Promise.all(SOURCES.map((source) => bundleOf(source, plugins)));
  return createHash('sha256').update(bundles.join('\n')).digest('hex').slice(0, 32);
}

function replacing({ path, text }: ChangedSource): Plugin {
  return {
    name: 'a changed source',
    setup: ({ onLoad }) =>
      onLoad({ filter: /\.ts$/ }, (found) =>
        found.path === resolve(path) ? { contents: text, loader: 'ts' } : undefined,
      ),
  };
}
