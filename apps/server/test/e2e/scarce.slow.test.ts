// Little of what a machine has: few open files and little memory for each process.
import { connect, type Socket } from 'node:net';
import { isLongRun, waitFor, walletOf } from '@presage/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Exchange } from './exchange.ts';
import type { MarketBody } from './wire.ts';

const OPEN_FILES = 512;
const CONNECTIONS = 1_000;
const ORDERS = isLongRun ? 300 : 150;
let exchange: Exchange;
let market: MarketBody;

beforeAll(async () => {
  exchange = await Exchange.open({ openFiles: OPEN_FILES, env: { NODE_OPTIONS: '--max-old-space-size=64' } });
  market = await exchange.newMarket('Is there enough of everything?');
});
afterAll(() => exchange.close());

function openConnections(): Socket[] {
  const port = Number(new URL(exchange.sandbox.url).port);
  return Array.from({ length: CONNECTIONS }, () => connect(port, '127.0.0.1').on('error', () => undefined));
}

function placeOne() {
  return exchange.client.order(walletOf('scarce'), {
    market: market.id,
    side: 'buy',
    outcome: 'YES',
    price: '0.4',
    size: '1',
  });
}

describe(`with ${OPEN_FILES} open files and 64 MiB for each process`, () => {
  it(`${CONNECTIONS} connections leave the service the files it needs: those beyond what it can take are closed, and orders go on`, async () => {
    const sockets = openConnections();
    await waitFor(
      'those beyond the limit are closed',
      () => sockets.filter(({ closed }) => closed).length > CONNECTIONS / 2,
    );
    for (const socket of sockets) socket.destroy();
    await waitFor('an order is taken', () => placeOne().catch(() => undefined));
  });

  it('orders are taken and nothing is started again', async () => {
    for (let index = 0; index < ORDERS; index++) await placeOne();
    expect(await exchange.sandbox.transcript()).not.toMatch(/EMFILE|out of memory|started again/);
  });
});
