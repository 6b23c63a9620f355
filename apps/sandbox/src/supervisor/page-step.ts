// The page, built beside the start of everything else when a source of it has changed; nothing waits for it but the reader.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const BUILD = new URL('../../../../scripts/build-web.mjs', import.meta.url);
const run = promisify(execFile);

interface PageBuilder {
  isPageCurrent(): Promise<boolean>;
}

/** In a process of its own, and none where nothing has changed: bundling must not hold up the supervisor. A page that cannot be built is reported, and nothing else fails. */
export async function buildPage(onTrouble: (text: string) => void): Promise<void> {
  try {
    const { isPageCurrent }: PageBuilder = await import(BUILD.href);
    if (!(await isPageCurrent())) await run(process.execPath, [fileURLToPath(BUILD)]);
  } catch (error) {
    const reason = (error as { stderr?: string }).stderr?.trim() || String(error);
    onTrouble(`The page could not be built, the API works without it: ${reason}`);
  }
}
