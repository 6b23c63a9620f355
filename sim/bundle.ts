// Bundles the simulator into one JavaScript file, optionally with a mutation of the service. In one file a late import
// is no event of its own, so that only the seed decides what happens when.
import { mkdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'esbuild';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** Inside node_modules, so that native modules are found from there. */
const PLACE = join(ROOT, 'node_modules/.cache/presage-sim');

export interface TextChange {
  readonly file: string;
  readonly find: string;
  readonly replace: string;
}

/** Returns the path of the program. */
export async function bundleSimulator(name = 'simulator', change?: TextChange): Promise<string> {
  await mkdir(PLACE, { recursive: true });
  const outfile = join(PLACE, `${name}-${process.pid}.mjs`);
  await build({
    entryPoints: [join(ROOT, 'sim/seeds-process.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    external: ['@nomicfoundation/edr', 'secp256k1'],
    banner: {
      js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
    },
    logLevel: 'error',
    plugins: [withoutFoldHash, ...(change === undefined ? [] : [mutate(change)])],
  });
  return outfile;
}

/**
 * Replaces the hash of the code that fills the database: there is no database here, and computing it needs a bundler.
 */
const withoutFoldHash: Plugin = {
  name: 'fold hash',
  setup(builder) {
    builder.onLoad({ filter: /fold-hash\.built\.ts$/ }, () => ({ contents: "export const FOLD_HASH = 'simulated';" }));
  },
};

/** Throws unless the text occurs exactly once. */
export function applyChange({ file, find, replace }: TextChange, source: string): string {
  if (source.split(find).length !== 2) throw new Error(`${file} must hold this text once: ${find}`);
  return source.replace(find, () => replace);
}

function mutate(change: TextChange): Plugin {
  return {
    name: 'mutation',
    setup(builder) {
      builder.onLoad({ filter: /\.ts$/ }, async ({ path }) => {
        if (relative(ROOT, path) !== change.file) return undefined;
        return { contents: applyChange(change, await readFile(path, 'utf8')), loader: 'ts' };
      });
    },
  };
}
