// Builds the page during the start if one of its sources has changed; the other parts do not wait for it.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { areMarksCurrent } from '../../../../scripts/kept-files.mjs';

const BUILD = fileURLToPath(new URL('../../../../scripts/build-web.mjs', import.meta.url));
/** Marks of the page's sources at its last build; the builder writes them last. */
const MARKS = fileURLToPath(new URL('../../../web/dist/inputs.json', import.meta.url));
const run = promisify(execFile);

/** Builds only if a source has changed, in a separate process so that the supervisor is not blocked. Reports a failure, which stops nothing. */
export async function buildPage(onTrouble: (text: string) => void): Promise<void> {
  try {
    if (!(await areMarksCurrent(MARKS))) await run(process.execPath, [BUILD]);
  } catch (error) {
    const stderr = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : '';
    const reason = stderr || String(error);
    onTrouble(`The page could not be built, the API works without it: ${reason}`);
  }
}
