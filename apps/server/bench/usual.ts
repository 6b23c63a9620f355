// Orders per second compared with a conventional server: fastify, viem's recovery of the signer, one INSERT per order.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type MarketId, ORDER_TYPES, type Order, parseJson, type SigningDomain } from '@presage/protocol';
import Fastify from 'fastify';
import { recoverTypedDataAddress } from 'viem';
import { withExchange } from '../../../bench/exchange.ts';
import { type LoadResult, postOrders, rateOf, signOrders } from '../../../bench/http-load.ts';
import type { Measurement } from '../../../bench/measurement.ts';
import { openStore } from '../src/store/open.ts';

const ROUNDS = 2;
const ORDERS = 2_000;
const USUAL_ORDERS = 500;
const CONNECTIONS = 64;
const LIMIT_MS = 30_000;
const USUAL_MARKET: `0x${string}` = `0x${'f1'.repeat(32)}`;
const DOMAIN: SigningDomain = {
  name: 'PresageSettlement',
  version: '1',
  chainId: 31337,
  verifyingContract: '0x5fbdb2315678afecb367f032d93f642f64180aa3',
};

/** @public Called by `bench/modules.ts`, by the path of this file. */
export async function measure(): Promise<Measurement> {
  return withUsualServer((usualUrl) =>
    withExchange(async ({ domain, marketId, url }) => {
      const [ours, usual]: [LoadResult[], LoadResult[]] = [[], []];
      // The first round warms up both and is not counted.
      for (let round = 0; round <= ROUNDS; round++) {
        const result = {
          usual: await post(usualUrl, { domain: DOMAIN, marketId: USUAL_MARKET, count: USUAL_ORDERS }),
          ours: await post(url('/api/v1/orders'), { domain, marketId, count: ORDERS }),
        };
        if (round === 0) continue;
        ours.push(result.ours);
        usual.push(result.usual);
      }
      const [ourRate, usualRate] = [rateOf(ours), rateOf(usual)];
      const load = `${ROUNDS} alternating rounds, ${CONNECTIONS} connections, resting orders`;
      return {
        key: 'admission.vs.usual',
        value: ourRate / usualRate,
        conditions: `${load}: ${ourRate.toFixed(0)}/s, usual ${usualRate.toFixed(0)}/s on the same build of PostgreSQL with the same settings`,
      };
    }),
  );
}

async function post(url: string, orders: { domain: SigningDomain; marketId: MarketId; count: number }) {
  const bodies = await signOrders(orders);
  const result = await postOrders({ url, bodies, connections: CONNECTIONS, limitMs: LIMIT_MS });
  if (result.ok !== result.sent)
    throw new Error(`${url} did not accept every order: ${JSON.stringify(result.statuses)}`);
  return result;
}

/** Runs in its own process: a server and its load must not share a thread. */
async function withUsualServer<T>(use: (url: string) => Promise<T>): Promise<T> {
  const execArgv = ['--import', import.meta.resolve('tsx')];
  const child = fork(fileURLToPath(import.meta.url), { execArgv });
  const exited = once(child, 'exit');
  const failed = exited.then(() => Promise.reject(new Error('the usual server ended before it was ready')));
  failed.catch(() => undefined);
  const [ready] = await Promise.race([once(child, 'message'), failed]);
  const { url }: { url: string } = ready;
  try {
    return await use(url);
  } finally {
    if (child.connected) child.disconnect();
    await exited;
  }
}

async function serve(): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'presage-usual-'));
  const store = await openStore({ dataDir });
  const { sql } = store;
  await sql`create table orders (
    id bigint generated always as identity primary key, trader text not null, market text not null, side int not null,
    outcome int not null, price bigint not null, size bigint not null, nonce numeric not null, signature text not null,
    unique (trader, market, nonce))`;
  const server = Fastify();
  server.removeContentTypeParser('application/json');
  server.addContentTypeParser('application/json', { parseAs: 'string' }, (_, body, done) =>
    done(null, parseJson(`${body}`)),
  );
  server.post('/', async (request) => {
    // The body was made by `signOrders`.
    const { order, signature } = request.body as { order: Order; signature: `0x${string}` };
    const message = { ...order, nonce: BigInt(order.nonce), expiration: BigInt(order.expiration) };
    const typed = { domain: DOMAIN, types: ORDER_TYPES, primaryType: 'Order', message: toTyped(message) } as const;
    const signer = await recoverTypedDataAddress({ ...typed, signature });
    if (signer.toLowerCase() !== order.trader) throw new Error('somebody else signed it');
    const [row] = await sql`insert into orders (trader, market, side, outcome, price, size, nonce, signature)
      values (${order.trader}, ${order.marketId}, ${order.side}, ${order.outcome}, ${order.price}, ${order.size},
        ${String(order.nonce)}, ${signature}) returning id`;
    return { id: String(row?.id) };
  });
  const url = `${await server.listen({ port: 0, host: '127.0.0.1' })}/`;
  process.on('disconnect', async () => {
    await server.close();
    await store.close();
    await rm(dataDir, { recursive: true, force: true });
    process.exit(0);
  });
  process.send?.({ url });
}

function toTyped(order: Order) {
  return { ...order, price: BigInt(order.price), size: BigInt(order.size) };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await serve();
