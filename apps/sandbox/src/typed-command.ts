// A command of `presage` as the reader of the terminal types it.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Address that the command line uses by default. */
const USUAL_URL = 'http://127.0.0.1:8080';
/** An installed server has no sources; there `npx` would fetch another package named presage. */
const PROGRAM = existsSync(fileURLToPath(import.meta.url)) ? 'npx presage' : 'presage';

export function drawCommand(command: string, url: string): string {
  return `${PROGRAM} ${command}${url === USUAL_URL ? '' : ` --url ${url}`}`;
}
