// A service with lanes: what one of them took is read at the others, and neither the death of a lane nor that of the service loses or doubles anything.
import { setTimeout as sleep } from 'node:timers/promises';
import { type MarketId, parseJson } from '@presage/protocol';
import { askWhileBusy, isLongRun, readJson, SeededRandom, seedFromEnv, waitFor, walletOf } from '@presage/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Exchange } from '../e2e/exchange.ts';
import type { MarketBody, OrderBody } from '../e2e/wire.ts';
import { StreamClient } from '../stream/stream-client.ts';
import { ClusterLoad, expectSound } from './cluster-load.ts';

const LANES = 2;
const ENV = { PRESAGE_LANES: String(LANES) };
const MINUTES = Number(process.env.PRESAGE_TORTURE_MINUTES ?? (isLongRun ? 10 : 0.1));
const SECONDS = Math.round(MINUTES * 60);
const random = new SeededRandom(seedFromEnv(Date.now()));
const markets: MarketBody[] = [];
let exchange: Exchange;

beforeAll(async () => {
  exchange = await Exchange.open({ env: ENV });
  for (const question of ['Does a lane answer?', 'Does another?']) markets.push(await exchange.newMarket(question));
  await lanesAnswer();
});
afterAll(() => exchange?.close());

/** Each request on a connection of its own, so that the lanes take turns. */
async function ask<T>(path: string, init: RequestInit = {}): Promise<{ status: number; body: T; headers: Headers }> {
  const { status, headers, text } = await askWhileBusy(exchange.sandbox.url + path, {
    ...init,
    headers: { connection: 'close', ...init.headers },
  });
  return { status, body: parseJson(text) as T, headers };
}

/** Which lanes have answered, of a few that were asked in turn. */
async function answering(): Promise<Set<number | undefined>> {
  const asked = await Promise.all(Array.from({ length: 2 * LANES }, () => ask<{ lane?: number }>('/ready')));
  return new Set(asked.map(({ body }) => body.lane));
}

function lanesAnswer(): Promise<unknown> {
  return waitFor('both lanes answer', async () => [...(await answering())].sort().join() === '1,2', {
    timeoutMs: 60_000,
  });
}

describe(`a service with ${LANES} lanes, seed ${random.seed}`, () => {
  it('an order of one lane is matched, listed and streamed at the other, and what only the service has is answered', async () => {
    const { client } = exchange;
    const { id: market } = await exchange.newMarket('Is it traded for the first time?');
    const streams = await Promise.all(Array.from({ length: LANES }, () => StreamClient.open(exchange.sandbox.url)));
    for (const stream of streams) stream.send({ type: 'subscribe', marketId: market });
    const [ann, ben] = [walletOf('lane ann'), walletOf('lane ben')];
    const rested = await client.order(ann, { market, side: 'sell', price: '0.6', size: '10' });
    const matched = await client.placeOrder(ben, { market, side: 'buy', price: '0.6', size: '4' });
    expect(matched).toMatchObject({ status: 200, body: { filledSize: 4_000_000 } });
    const position = matched.headers.get('presage-position');
    expect(position).toMatch(/control=\d+;m0=\d+/);
    for (let asked = 0; asked < 2 * LANES; asked++) {
      const headers = { 'presage-position': position ?? '' };
      const order = await ask<OrderBody>(`/api/v1/orders/${rested.orderHash}`, { headers });
      expect(order.body).toMatchObject({ filledSize: 4_000_000 });
      const listed = await ask<{ trades: unknown[] }>(`/api/v1/trades/${market}`, { headers });
      expect(listed.body.trades).toHaveLength(1);
      // Without a position a list shows what its lane has, soon.
      await waitFor('the order is listed', async () => {
        const { body } = await ask<{ orders: unknown[] }>(`/api/v1/users/${ann.address}/orders?chain_id=31337`);
        return body.orders.length === 1;
      });
      expect((await ask('/api/v1/journal/anchors')).status).toBe(200);
    }
    for (const stream of streams) {
      await waitFor('the trade is streamed', async () => (await stream.drain()).some(({ type }) => type === 'trade'));
      stream.end();
    }
    expect((await client.delete(`/api/v1/orders/${rested.orderHash}?marketId=${market}`)).status).toBe(200);
  });

  it('counts a request that a lane passes on by its client, whatever the client says', async () => {
    const forged = { 'presage-lane': 'x direct 10.0.0.1', 'x-forwarded-host': 'evil.example' };
    expect((await ask('/api/v1/journal/anchors', { headers: forged })).status).toBe(200);
    const foreign = { host: 'evil.example', 'x-forwarded-host': '127.0.0.1' };
    expect(await statusWithHost('/api/v1/journal/anchors', foreign)).toBe(403);
  });

  it(`in ${SECONDS} s a lane is killed every second in which one answers, under load, and nothing is lost or doubled; then the service is, and all comes back`, async () => {
    const { client } = exchange;
    const load = new ClusterLoad({ random, clients: [client], markets: markets.map(({ id }): MarketId => id) });
    const running = load.run();
    let kills = 0;
    try {
      for (let second = 0; second < SECONDS || kills === 0; second++) {
        // While none has started again the service answers, and there is nothing to kill.
        const { lane } = (await ask<{ lane?: number }>('/ready').catch(() => undefined))?.body ?? {};
        const lanes = exchange.sandbox.lanes();
        if (lane !== undefined && lanes.length > 0) {
          process.kill(random.pick(lanes), 'SIGKILL');
          kills++;
        }
        await sleep(1_000);
      }
      await load.quiet();
      const orphans = exchange.sandbox.lanes();
      exchange.sandbox.signal('service', 'SIGKILL');
      await load.quiet();
      expect(exchange.sandbox.lanes().filter((pid) => orphans.includes(pid))).toEqual([]);
    } finally {
      load.stop();
    }
    await running;
    await lanesAnswer();
    await load.expectKept([client]);
    await exchange.settled();
    expect(await client.read('/api/v1/failed-trades')).toMatchObject({ count: 0 });
    await expectSound(exchange.sandbox, load);
    process.stderr.write(
      `${kills} lanes killed in ${SECONDS} s: ${load.answered.length} orders, ${load.cancelled.size} cancels, slowest ${load.slowestMs} ms\n`,
    );
  });

  it('stops in order, and comes back without lanes', async () => {
    await exchange.sandbox.stop();
    exchange = await exchange.reopen();
    expect(exchange.sandbox.lanes()).toEqual([]);
    expect(await readJson(`${exchange.sandbox.url}/ready`)).not.toHaveProperty('lane');
  });
});

/** Fetch does not let a caller name another host. */
async function statusWithHost(path: string, headers: Record<string, string>): Promise<number | undefined> {
  const { request } = await import('node:http');
  return new Promise((resolve, reject) => {
    const asking = request(exchange.sandbox.url + path, { headers, agent: false }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    });
    asking.on('error', reject).end();
  });
}
