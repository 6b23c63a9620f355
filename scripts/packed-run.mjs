// Replaces run.mjs in the packed server: its programs are already bundled, each named after its entry in the repository.
import { existsSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { runScript } from './kept-code.mjs';

const HOME = fileURLToPath(new URL('..', import.meta.url));

/** Runs the program in this process. */
export async function run(entry) {
  const name = relative(HOME, resolve(entry)).replaceAll(/[\\/]/g, '-');
  const script = join(HOME, 'programs', `${name}.cjs`);
  return existsSync(script) ? runScript(script) : import(pathToFileURL(script.replace(/cjs$/, 'mjs')).href);
}

if (process.argv[1] === fileURLToPath(import.meta.url) && process.argv[2] !== '--only-bundle') {
  const entry = process.argv[2];
  process.argv.splice(1, 2, resolve(entry));
  await run(entry);
}
