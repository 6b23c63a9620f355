// Makes the simulator one file of JavaScript, with a mutation of the service where one is wanted. In one file a late import is no
// event of its own, so that nothing but the seed decides what happens when.
import { mkdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'esbuild';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** Inside of node_modules, so that native parts are found from there. */
const PLACE = join(ROOT, 'node_modules/.cache/presage-sim');

export interface TextChange {
  readonly file: string;
  readonly find: string;
  readonly replace: string;
}

/** Answers the path of the program. */
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

/** The hash of the code that fills the database: there is none here, and finding it out takes a bundler. */
const withoutFoldHash: Plugin = {
  name: 'fold hash',
  setup(builder) {
    builder.onLoad({ filter: /fold-hash\.built\.ts$/ }, () => ({ contents: "export const FOLD_HASH = 'simulated';" }));
  },
};

/** Throws if the text is not there exactly once. */
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
