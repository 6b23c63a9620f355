// The sandbox on a platform without an embedded PostgreSQL: with a server of its own it works as everywhere.
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { EmbeddedPostgres } from '@presage/embedded-postgres';
import { walletOf } from '@presage/testkit';
import { expect, it, onTestFinished } from 'vitest';
import { Exchange } from '../e2e/exchange.ts';

/** Preloaded into every process of the start: the optional package is not found. */
const HIDE = fileURLToPath(new URL('../../../sandbox/test/supervisor/hide-postgres.cjs', import.meta.url));

it('trades and settles with PRESAGE_DATABASE_URL where npm has no PostgreSQL', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'presage-own-server-'));
  await chmod(dataDir, 0o711);
  const server = await EmbeddedPostgres.open({ dataDir });
  onTestFinished(async () => {
    await server.close();
    await rm(dataDir, { recursive: true, force: true });
  });
  const env = { NODE_OPTIONS: `--require=${HIDE}`, PRESAGE_DATABASE_URL: server.url };
  const exchange = await Exchange.open({ env });
  onTestFinished(() => exchange.close());
  const { id: market } = await exchange.newMarket('Is a server of its own enough?');
  await exchange.client.order(walletOf('own maker'), { market, side: 'sell', price: '0.5', size: '2' });
  await exchange.client.order(walletOf('own taker'), { market, side: 'buy', price: '0.5', size: '2' });
  await exchange.settled();
  expect(await exchange.trades(market)).toMatchObject([{ stage: 'confirmed' }]);
});
