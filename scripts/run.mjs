// Runs a TypeScript program as one file: bundled once, kept until a source changes, so that a start loads no loader and few files.
import { createHash } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { join, relative, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { areMarksCurrent, keepFile, markOf, marksOf } from './kept-files.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const CACHE = join(ROOT, 'node_modules', '.cache', 'presage');
/** Hundreds of small files each, and nothing but code: the rest of node_modules is loaded from where it lies. */
const BUNDLED = /^(@presage|viem|ox|abitype|@noble|typebox|lossless-json|hash-wasm)(\/|$)/;

/** Absolute path of the program's bundle; undefined where none can be kept. */
async function openBundle(entry) {
  const source = resolve(entry);
  const name = `${relative(ROOT, source).replaceAll(/[\\/]/g, '-')}-${digest(`${source} ${process.version}`)}`;
  const paths = { source, bundle: join(CACHE, `${name}.mjs`), inputs: join(CACHE, `${name}.json`) };
  try {
    if (!(await isFresh(paths))) await build(paths);
    return paths.bundle;
  } catch (error) {
    if (['EACCES', 'EROFS', 'EPERM'].includes(error.code)) return undefined;
    if (/\b(EMFILE|ENFILE)\b/.test(String(error))) endForFiles();
    throw error;
  }
}

/** The bundler's own words would fill the screen. */
function endForFiles() {
  process.stderr.write(
    'This account may open too few files at once (ulimit -n): allow 1024 or more, and start again.\n',
  );
  process.exit(1);
}

/** Runs the program in this process. */
export async function run(entry) {
  const bundle = await openBundle(entry);
  if (bundle !== undefined) return import(pathToFileURL(bundle).href);
  const { register } = await import('tsx/esm/api');
  register();
  return import(pathToFileURL(resolve(entry)).href);
}

/** Every source is as it was when the bundle was made. */
async function isFresh({ bundle, inputs }) {
  return markOf(bundle) !== undefined && areMarksCurrent(inputs);
}

async function build({ source, bundle, inputs }) {
  await mkdir(CACHE, { recursive: true });
  const { build: bundleUp } = await import('esbuild');
  const { metafile, outputFiles } = await bundleUp({
    entryPoints: [source],
    absWorkingDir: ROOT,
    ...{ bundle: true, write: false, metafile: true, outfile: bundle, logLevel: 'silent' },
    ...{ platform: 'node', format: 'esm', target: 'node20', charset: 'utf8' },
    plugins: [OUTSIDE, BUILT, OWN_PLACE],
  });
  const files = Object.keys(metafile.inputs).map((file) => resolve(ROOT, file));
  const marks = marksOf(files);
  await keepFile(bundle, outputFiles[0].contents);
  await keepFile(inputs, JSON.stringify(marks));
}

const ASKED = Symbol('asked');

const OUTSIDE = {
  name: 'packages stay where they are',
  setup: ({ onResolve, resolve: find }) =>
    onResolve({ filter: /^[^./]/ }, async ({ path, kind, importer, resolveDir, pluginData }) => {
      if (kind === 'entry-point' || BUNDLED.test(path) || pluginData === ASKED) return undefined;
      if (isBuiltin(path)) return { path, external: true, sideEffects: false };
      const found = await find(path, { kind, importer, resolveDir, pluginData: ASKED });
      // A workspace may have a version of its own, which its name alone would not lead to from the bundle's place.
      const isOwn = found.errors.length === 0 && !found.path.startsWith(join(ROOT, 'node_modules'));
      return { path: isOwn ? pathToFileURL(found.path).href : path, external: true };
    }),
};

/** A `*.built.ts` exports what follows from the sources alone: it runs when the bundle is made, and never in a start. */
const BUILT = {
  name: 'asked once',
  setup: ({ onLoad }) =>
    onLoad({ filter: /\.built\.ts$/ }, async ({ path }) => {
      const { tsImport } = await import('tsx/esm/api');
      const values = await tsImport(pathToFileURL(path).href, import.meta.url);
      const lines = Object.entries(values).map(([name, value]) => `export const ${name} = ${JSON.stringify(value)};`);
      return { contents: lines.join('\n'), loader: 'js' };
    }),
};

/** A file's own address is where its source lies: workers, SQL and sibling programs are found from there. */
const OWN_PLACE = {
  name: 'sources know their own place',
  setup: ({ onLoad }) =>
    onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      if (path.includes('node_modules')) return undefined;
      const text = await readFile(path, 'utf8');
      const place = JSON.stringify(pathToFileURL(path).href);
      return { contents: text.replaceAll('import.meta.url', place), loader: 'ts' };
    }),
};

function digest(text) {
  return createHash('sha256').update(text).digest('hex').slice(0, 12);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const entry = process.argv[2];
  process.argv.splice(1, 2, resolve(entry));
  await run(entry);
}
