// One database, two services: the view of the first survives the second, a restart, and its own tables being dropped.
import { chmod, cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedPostgres } from '@presage/embedded-postgres';
import { createSandboxClient } from '@presage/sdk';
import { createOperatorClient, type OperatorClient } from '@presage/sdk/operator';
import { waitFor, walletOf } from '@presage/testkit';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { Exchange } from './exchange.ts';
import type { MarketBody } from './wire.ts';

const [ann, ben] = [walletOf('owned ann'), walletOf('owned ben')];

let folder: string;
let server: EmbeddedPostgres;
let sql: postgres.Sql;
let env: Record<string, string>;
let first: Exchange;
let operator: OperatorClient;
let marketId: MarketBody['id'];

async function openOperator({ client: { url } }: Exchange): Promise<OperatorClient> {
  return createOperatorClient({ url, key: await createSandboxClient({ url }).getOperatorKey(), retries: 0 });
}

/** Everything that the first service shows out of its database. */
async function readEverything() {
  const paths = [
    '/api/v1/markets?kind=standard',
    `/api/v1/trades/${marketId}`,
    `/api/v1/users/${ann.address}/positions?chain_id=31337`,
    `/api/v1/users/${ben.address}/activity?chain_id=31337`,
  ];
  const bodies = await Promise.all(paths.map(async (path) => [path, await first.client.read(path)]));
  return { bodies, actions: (await operator.listActions({ limit: 100 })).actions };
}

const readiness = () => first.client.read<{ status: string; degraded: string[] }>('/ready');

async function restartFirst(): Promise<void> {
  await first.sandbox.stop();
  first = await first.reopen({ env });
  operator = await openOperator(first);
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'presage-view-owner-'));
  await chmod(folder, 0o711);
  server = await EmbeddedPostgres.open({ dataDir: folder });
  sql = postgres(server.url, { max: 1, onnotice: () => undefined });
  env = { PRESAGE_DATABASE_URL: server.url };
  first = await Exchange.open({ env });
  operator = await openOperator(first);
  const market = await first.newMarket('Whose database is this?');
  marketId = market.id;
  await operator.pauseMarket(marketId, true, { reason: 'before the trade' });
  await operator.pauseMarket(marketId, false, { reason: 'for the trade' });
  await first.client.order(ann, { market: marketId, side: 'sell', price: '0.5', size: '2' });
  await first.client.order(ben, { market: marketId, side: 'buy', price: '0.5', size: '2' });
  await first.settled();
});

afterAll(async () => {
  await first?.close();
  await sql?.end();
  await server?.close();
  await rm(folder, { recursive: true, force: true });
});

/** A start that must not succeed; resolves with everything it said. */
async function refusalOf(options: Parameters<typeof Exchange.open>[0]): Promise<string> {
  try {
    const other = await Exchange.open(options);
    onTestFinished(() => other.close());
  } catch (error) {
    return String(error);
  }
  throw new Error('the second service started');
}

describe('the database of a running service', () => {
  it('refuses a service with another journal, and shows the same lists and audit log before and after a restart', async () => {
    const before = await readEverything();
    expect(before.actions.map(({ reason }) => reason)).toEqual(
      expect.arrayContaining(['before the trade', 'for the trade']),
    );
    const said = await refusalOf({ isNew: true, env });
    expect(said).toContain('belongs to another journal');
    expect(said).toContain('PRESAGE_DATABASE_URL');
    expect(said).toContain('drop schema if exists presage_view, presage_audit cascade');
    expect(await readEverything()).toEqual(before);
    await operator.pauseMarket(marketId, true, { reason: 'after the second service' });
    const after = await readEverything();
    expect(after.actions.slice(1)).toEqual(before.actions);
    await restartFirst();
    expect(await readEverything()).toEqual(after);
  });

  it('refuses a service on a copy of the data folder that went another way while the first one is connected', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'presage-view-copy-'));
    onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
    await first.sandbox.stop();
    await cp(first.sandbox.dataDir, dataDir, { recursive: true });
    first = await first.reopen({ env });
    operator = await openOperator(first);
    await first.newMarket('Does the copy know this one?');
    const before = await readEverything();
    const said = await refusalOf({ dataDir, env });
    expect(said).toContain('another service');
    expect(await readEverything()).toEqual(before);
  });

  it('is rebuilt whole, the audit log included, when its tables are dropped under a service that has nothing to write', async () => {
    const before = await readEverything();
    await sql`drop schema presage_view, presage_audit cascade`;
    await waitFor('it is told', async () => (await readiness()).degraded.includes('view'));
    expect(await first.client.read('/api/v1/status')).toMatchObject({
      dependencies: { database: { up: true, trouble: 'the database is empty' } },
    });
    await waitFor('it is whole again', async () => !(await readiness()).degraded.includes('view'));
    expect(await readEverything()).toEqual(before);
    expect(await first.sandbox.transcript()).toContain('the view is rebuilt');
    await restartFirst();
    expect(await readEverything()).toEqual(before);
  });
});
