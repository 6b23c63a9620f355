// The data folder of a test's sandbox: a new one, or a copy of the one that the set-up of the test run prepared.
import { execFile } from 'node:child_process';
import { chmod, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Names the prepared folder to the workers of a test run; without it every folder is a new one. */
export const TEMPLATE_VARIABLE = 'PRESAGE_TEST_TEMPLATE';

export async function makeDataDir(isNew: boolean, parentDir = tmpdir()): Promise<string> {
  const dataDir = await mkdtemp(join(parentDir, 'presage-sandbox-'));
  // Passable for others: closed to PostgreSQL's account, it would put its files elsewhere, where nobody removes them.
  await chmod(dataDir, 0o711);
  const template = process.env[TEMPLATE_VARIABLE];
  // With owners and modes: PostgreSQL refuses a folder that is not its own.
  if (template !== undefined && !isNew) await run('cp', ['-a', `${template}/.`, dataDir]);
  return dataDir;
}
