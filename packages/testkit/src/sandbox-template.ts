// Global setup of a test run: starts and stops one sandbox when the first test asks, and lets tests that need a running exchange start from copies of its data folder.

import { once } from 'node:events';
import { readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { portOf } from '@presage/runtime/node';
import { TEMPLATE_VARIABLE } from './data-dir.ts';
import { waitFor } from './patience.ts';
import { readJson } from './read-json.ts';
import { openSandbox } from './sandbox-process.ts';
import { dropTemplateDatabases } from './slim-database.ts';

/** Four markets, and two events of five and six outcomes. */
const SEEDED_MARKETS = 15;

/** Workers are separate processes and ask this one, so that one template serves all of them and none is made if no test needs it. */
export default async function setUp(): Promise<() => Promise<void>> {
  let made: Promise<string> | undefined;
  const server = createServer((_request, response) => {
    made ??= makeTemplate();
    made.then(
      (dataDir) => response.end(dataDir),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  server.listen(0, '127.0.0.1').unref();
  await once(server, 'listening');
  process.env[TEMPLATE_VARIABLE] = `http://127.0.0.1:${portOf(server)}`;
  return async () => {
    server.close();
    const dataDir = await made?.catch(() => undefined);
    if (dataDir !== undefined) await rm(dataDir, { recursive: true, force: true });
  };
}

/**
 * Makes the template. Deploying the contracts, creating the database and seeding the markets take as long as the rest
 * of a first start; a copy starts like a second start.
 */
async function makeTemplate(): Promise<string> {
  // Without quick markets: their windows would end between this start and that of a copy.
  const { url, dataDir, stop } = await openSandbox({ isNew: true, env: { PRESAGE_QUICK_ASSETS: 'off' } });
  await waitFor('the first markets are listed', async () => {
    const { markets } = await readJson<{ markets: unknown[] }>(`${url}/api/v1/markets`);
    return markets.length >= SEEDED_MARKETS;
  });
  await dropTemplateDatabases(await readDatabaseUrl(dataDir));
  await stop();
  // It contains the chain's port, for which all copies would compete.
  await rm(join(dataDir, 'chains.json'));
  return dataDir;
}

/** URL of the database server that the service started. */
async function readDatabaseUrl(dataDir: string): Promise<string> {
  const folder = join(dataDir, 'service', 'database');
  const { password }: { password: string } = JSON.parse(await readFile(join(folder, 'access.json'), 'utf8'));
  const [, , , port] = (await readFile(join(folder, 'work', 'cluster', 'postmaster.pid'), 'utf8')).split('\n');
  return `postgres://presage:${password}@127.0.0.1:${port}/presage`;
}
