// Runs a TypeScript program as one file: bundled and compiled once, kept until a source changes, so that a start loads no loader and few files.
import { createHash } from 'node:crypto';
import { mkdir, readFile, rm } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { join, relative, resolve, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { runScript } from './kept-code.mjs';
import { areMarksCurrent, keepFile, markOf, marksOf } from './kept-files.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const CACHE = join(ROOT, 'node_modules', '.cache', 'presage');
/** Not code alone, or programs of their own: loaded from where they lie. */
const LEFT_OUTSIDE = /^(@nomicfoundation|secp256k1|esbuild|tsx|vite|playwright|@bitauth\/libauth)(\/|$)/;

/** Absolute path of the program's bundle; undefined where none can be kept. */
async function openBundle(entry) {
  const source = resolve(entry);
  const place = relative(ROOT, source);
  const name = `${place.replaceAll(/[\\/]/g, '-')}-${digest(`${place} ${process.version}`)}`;
  const paths = { source, bundle: join(CACHE, name), inputs: join(CACHE, `${name}.marks.json`) };
  try {
    return (await findFresh(paths)) ?? (await build(paths));
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
  if (bundle?.endsWith('.cjs')) return runScript(bundle);
  if (bundle !== undefined) return import(pathToFileURL(bundle).href);
  const { register } = await import('tsx/esm/api');
  register();
  return import(pathToFileURL(resolve(entry)).href);
}

/** The bundle, when every source is as it was when it was made. */
async function findFresh({ bundle, inputs }) {
  const file = [`${bundle}.cjs`, `${bundle}.mjs`].find((name) => markOf(name) !== undefined);
  return file !== undefined && (await areMarksCurrent(inputs)) ? file : undefined;
}

/** A script, of which V8 keeps the code; a module where the program waits at its top level, which a script cannot. */
async function build(paths) {
  await mkdir(CACHE, { recursive: true });
  return bundleAs('cjs', paths).catch((error) => {
    if (/Top-level await/.test(String(error))) return bundleAs('esm', paths);
    throw error;
  });
}

async function bundleAs(format, { source, bundle, inputs }) {
  const { build: bundleUp } = await import('esbuild');
  const [file, other] = format === 'cjs' ? [`${bundle}.cjs`, `${bundle}.mjs`] : [`${bundle}.mjs`, `${bundle}.cjs`];
  const { metafile, outputFiles } = await bundleUp({
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
    banner: { js: HERE[format] },
    plugins: [OUTSIDE, BUILT, OWN_PLACE],
  });
  const files = Object.keys(metafile.inputs).map((input) => resolve(ROOT, input));
  const marks = marksOf([fileURLToPath(import.meta.url), ...files], CACHE);
  await keepFile(file, outputFiles[0].contents);
  await rm(other, { force: true });
  await keepFile(inputs, JSON.stringify(marks));
  return file;
}

const ASKED = Symbol('asked');

const OUTSIDE = {
  name: 'packages stay where they are',
  setup: ({ onResolve, resolve: find }) =>
    onResolve({ filter: /^[^./]/ }, async ({ path, kind, importer, resolveDir, pluginData }) => {
      if (kind === 'entry-point' || (!LEFT_OUTSIDE.test(path) && !isBuiltin(path)) || pluginData === ASKED)
        return undefined;
      if (isBuiltin(path)) return { path, external: true, sideEffects: false };
      const found = await find(path, { kind, importer, resolveDir, pluginData: ASKED });
      // A workspace may have a version of its own, which its name alone would not lead to from the bundle's place.
      const isOwn = found.errors.length === 0 && !found.path.startsWith(join(ROOT, 'node_modules'));
      if (!isOwn) return { path, external: true };
      return { path: `./${toPosix(relative(CACHE, found.path))}`, external: true };
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

/** Where the repository lies, as a bundle finds it from its own place: one that was moved or copied with the repository goes on. */
const HERE = {
  cjs: `const presageRoot = require('node:url').pathToFileURL(require('node:path').resolve(__dirname, '../../..')).href;`,
  esm: `const presageRoot = new URL('../../..', import.meta.url).href.replace(/\\/$/, '');`,
};

/** A file's own address is where its source lies: workers, SQL and sibling programs are found from there. */
const OWN_PLACE = {
  name: 'sources know their own place',
  setup: ({ onLoad }) =>
    onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      if (path.includes('node_modules')) return undefined;
      const text = await readFile(path, 'utf8');
      const place = JSON.stringify(`/${encodeURI(toPosix(relative(ROOT, path)))}`);
      return { contents: text.replaceAll('import.meta.url', `(presageRoot + ${place})`), loader: 'ts' };
    }),
};

function toPosix(path) {
  return path.split(sep).join('/');
}

function digest(text) {
  return createHash('sha256').update(text).digest('hex').slice(0, 12);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const entry = process.argv[2];
  process.argv.splice(1, 2, resolve(entry));
  await run(entry);
}
