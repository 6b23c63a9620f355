// Set-up of a test run: starts one sandbox and stops it again; tests that need a running exchange start from copies of its data folder.
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { waitFor } from '@presage/runtime';
import { TEMPLATE_VARIABLE } from './data-dir.ts';
import { openSandbox } from './sandbox-process.ts';
import { dropTemplateDatabases } from './slim-database.ts';

const SEEDED_MARKETS = 4;

/**
 * Deploying the contracts, creating the database and seeding the markets take as long as the rest of a first start. A copy is what
 * a second start finds, made by the same code a moment ago.
 */
export default async function setUp(): Promise<() => Promise<void>> {
  // Without quick markets: their windows would end between this start and that of a copy.
  const { url, dataDir, stop } = await openSandbox({ isNew: true, env: { PRESAGE_QUICK_ASSETS: 'off' } });
  await waitFor('the first markets are listed', async () => {
    const { markets } = (await (await fetch(`${url}/api/v1/markets`)).json()) as { markets: unknown[] };
    return markets.length >= SEEDED_MARKETS;
  });
  await dropTemplateDatabases(await readDatabaseUrl(dataDir));
  await stop();
  // It holds the port of the chain, for which all copies would compete.
  await rm(join(dataDir, 'chains.json'));
  process.env[TEMPLATE_VARIABLE] = dataDir;
  return () => rm(dataDir, { recursive: true, force: true });
}

/** Of the server that the service started. */
async function readDatabaseUrl(dataDir: string): Promise<string> {
  const folder = join(dataDir, 'service', 'database');
  const { password } = JSON.parse(await readFile(join(folder, 'access.json'), 'utf8')) as { password: string };
  const [, , , port] = (await readFile(join(folder, 'work', 'cluster', 'postmaster.pid'), 'utf8')).split('\n');
  return `postgres://presage:${password}@127.0.0.1:${port}/presage`;
}
