// Bundles a TypeScript program of this repository into one file that still finds files beside its sources.
import { readFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** Packages that are not only code, or are programs: loaded from their installed location. */
const LEFT_OUTSIDE = /^(@nomicfoundation|secp256k1|esbuild|tsx|vite|playwright|@bitauth\/libauth)(\/|$)/;

/**
 * Makes a script, whose compiled code V8 can cache; or a module if the program uses top-level await, which a script
 * cannot. `name` is the bundle's path without its extension, `home` the folder that stands for the repository's root
 * there; `plugins` run before those of every bundle. Resolves with the bundle's path, its bytes and its inputs.
 */
export async function bundle({ source, name, home = ROOT, plugins = [] }) {
  try {
    return await bundleAs('cjs', { source, file: `${name}.cjs`, home, plugins });
  } catch (error) {
    if (!/Top-level await/.test(String(error))) throw error;
    return bundleAs('esm', { source, file: `${name}.mjs`, home, plugins });
  }
}

async function bundleAs(format, { source, file, home, plugins }) {
  const { build } = await import('esbuild');
  const folder = dirname(file);
  const { metafile, outputFiles } = await build({
    entryPoints: [source],
    absWorkingDir: ROOT,
    bundle: true,
    write: false,
    metafile: true,
    outfile: file,
    logLevel: 'silent',
    // ASCII: V8 reads characters of one byte faster.
    platform: 'node',
    format,
    target: 'node20',
    charset: 'ascii',
    banner: { js: hereOf(format, toPosix(relative(folder, home))) },
    plugins: [...plugins, outside(folder), BUILT, OWN_PLACE],
  });
  return { file, contents: outputFiles[0].contents, inputs: metafile.inputs };
}

const ASKED = Symbol('asked');

function outside(folder) {
  return {
    name: 'packages stay where they are',
    setup: ({ onResolve, resolve: find }) =>
      onResolve({ filter: /^[^./]/ }, async ({ path, kind, importer, resolveDir, pluginData }) => {
        if (kind === 'entry-point' || (!LEFT_OUTSIDE.test(path) && !isBuiltin(path)) || pluginData === ASKED)
          return undefined;
        if (isBuiltin(path)) return { path, external: true, sideEffects: false };
        const found = await find(path, { kind, importer, resolveDir, pluginData: ASKED });
        // A workspace may have its own version of a package, which the bundle would not find by name.
        const isOwn = found.errors.length === 0 && !found.path.startsWith(join(ROOT, 'node_modules'));
        if (!isOwn) return { path, external: true };
        return { path: `./${toPosix(relative(folder, found.path))}`, external: true };
      }),
  };
}

/**
 * A `*.built.ts` exports values that depend on the sources alone: it runs when the bundle is made, and never in a
 * start.
 */
export const BUILT = {
  name: 'asked once',
  setup: ({ onLoad }) =>
    onLoad({ filter: /\.built\.ts$/ }, async ({ path }) => {
      const { tsImport } = await import('tsx/esm/api');
      const values = await tsImport(pathToFileURL(path).href, import.meta.url);
      const lines = Object.entries(values).map(([name, value]) => `export const ${name} = ${JSON.stringify(value)};`);
      return { contents: lines.join('\n'), loader: 'js' };
    }),
};

/** Path of the repository relative to the bundle, so that a bundle moved or copied together with the repository still works. */
function hereOf(format, way) {
  return format === 'cjs'
    ? `const presageRoot = require('node:url').pathToFileURL(require('node:path').resolve(__dirname, '${way}')).href;`
    : `const presageRoot = new URL('${way}', import.meta.url).href.replace(/\\/$/, ''); const presageImport = (url) => import(url);`;
}

/** An import of a module that is known only at run time. */
const IMPORT_OF_VALUE = /\bimport\((?=[a-z])/g;

/**
 * Sets a file's own URL to that of its source: workers, SQL and sibling programs are found from there. Code cached by
 * V8 cannot import (Node answers ERR_VM_DYNAMIC_IMPORT_CALLBACK_MISSING), so its runner, kept-code.mjs, does that.
 */
const OWN_PLACE = {
  name: 'sources know their own place',
  setup: ({ onLoad }) =>
    onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      if (path.includes('node_modules')) return undefined;
      const text = await readFile(path, 'utf8');
      const place = JSON.stringify(`/${encodeURI(toPosix(relative(ROOT, path)))}`);
      const placed = text.replaceAll('import.meta.url', `(presageRoot + ${place})`);
      return { contents: placed.replaceAll(IMPORT_OF_VALUE, 'presageImport('), loader: 'ts' };
    }),
};

function toPosix(path) {
  return path.split(sep).join('/');
}
