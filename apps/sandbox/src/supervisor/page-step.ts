// The page, built beside the start of everything else when a source of it has changed; nothing waits for it but the reader.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { areMarksCurrent } from '../../../../scripts/kept-files.mjs';

const BUILD = fileURLToPath(new URL('../../../../scripts/build-web.mjs', import.meta.url));
/** Marks of the page's sources; the builder writes them last. */
const MARKS = fileURLToPath(new URL('../../../web/dist/inputs.json', import.meta.url));
const run = promisify(execFile);

/** In a process of its own, and in none where nothing has changed: bundling must not hold up the supervisor. A page that cannot be built is reported, and nothing else fails. */
export async function buildPage(onTrouble: (text: string) => void): Promise<void> {
  try {
    if (!(await areMarksCurrent(MARKS))) await run(process.execPath, [BUILD]);
  } catch (error) {
    const stderr = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : '';
    const reason = stderr || String(error);
    onTrouble(`The page could not be built, the API works without it: ${reason}`);
  }
}
