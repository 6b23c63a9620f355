// Runs a TypeScript program as one file, bundled and compiled once and cached until a source changes, so that a start
// needs no loader and few files.
import { createHash } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { runScript } from './kept-code.mjs';
import { areMarksCurrent, keepFile, markOf, marksOf } from './kept-files.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const CACHE = join(ROOT, 'node_modules', '.cache', 'presage');
/** A bundle made by another version of the bundler is out of date. */
const OWN_SOURCES = ['run.mjs', 'bundle.mjs'].map((name) => join(ROOT, 'scripts', name));

/** Absolute path of the program's bundle; undefined if no bundle can be stored. */
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

/** Replaces the bundler's own message, which would fill the screen. */
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

/** The bundle, if every source is unchanged since it was built. */
async function findFresh({ bundle, inputs }) {
  const file = [`${bundle}.cjs`, `${bundle}.mjs`].find((name) => markOf(name) !== undefined);
  return file !== undefined && (await areMarksCurrent(inputs)) ? file : undefined;
}

async function build({ source, bundle: name, inputs: marksFile }) {
  await mkdir(CACHE, { recursive: true });
  const { bundle } = await import('./bundle.mjs');
  const { file, contents, inputs } = await bundle({ source, name });
  const files = Object.keys(inputs).map((input) => resolve(ROOT, input));
  await keepFile(file, contents);
  await rm(file.endsWith('.cjs') ? `${name}.mjs` : `${name}.cjs`, { force: true });
  await keepFile(marksFile, JSON.stringify(marksOf([...OWN_SOURCES, ...files], CACHE)));
  return file;
}

function digest(text) {
  return createHash('sha256').update(text).digest('hex').slice(0, 12);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [entry, ...others] = process.argv.slice(2);
  // Builds the bundles of other programs for their later starts.
  if (entry === '--only-bundle') for (const program of others) await openBundle(program);
  else {
    process.argv.splice(1, 2, resolve(entry));
    await run(entry);
  }
}
