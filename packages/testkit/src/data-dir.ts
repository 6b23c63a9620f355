// The data folder of a test's sandbox: a new one, or a copy of the test run's template.
import { execFile } from 'node:child_process';
import { chmod, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/**
 * Environment variable with the address that serves the template to workers; outside a test run every folder is new.
 */
export const TEMPLATE_VARIABLE = 'PRESAGE_TEST_TEMPLATE';

export async function makeDataDir(isNew: boolean, parentDir = tmpdir()): Promise<string> {
  const dataDir = await mkdtemp(join(parentDir, 'presage-sandbox-'));
  // Traversable for others: otherwise PostgreSQL's account would put its files elsewhere, where nobody removes them.
  await chmod(dataDir, 0o711);
  const address = process.env[TEMPLATE_VARIABLE];
  // Preserves owners and modes: PostgreSQL refuses a folder that is not its own.
  if (address !== undefined && !isNew) await run('cp', ['-a', `${await findTemplate(address)}/.`, dataDir]);
  return dataDir;
}

async function findTemplate(address: string): Promise<string> {
  const response = await fetch(address);
  const answer = await response.text();
  if (!response.ok) throw new Error(`the template of this test run could not be made: ${answer}`);
  return answer;
}
