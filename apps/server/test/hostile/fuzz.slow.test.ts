// Hostile clients in number: a running service answers none of them with a failure, does not end, and gives the memory back.
import { setTimeout as sleep } from 'node:timers/promises';
import { isLongRun, SeededRandom, seedFromEnv, waitFor, walletOf } from '@presage/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Exchange } from '../e2e/exchange.ts';
import type { GoodValues } from '../openapi/malformed-requests.ts';
import { readPublishedApi } from '../openapi/published-api.ts';
import { type Fired, fire } from './pipelined-client.ts';
import { throwShapes } from './raw-shapes.ts';
import { RequestGrammar } from './request-grammar.ts';
import { fuzzStream } from './stream-fuzz.ts';

const REQUESTS = isLongRun ? 1_000_000 : 2_000;
const SLICE = isLongRun ? 20_000 : 1_000;
const SHAPES = isLongRun ? 20_000 : 135;
const MESSAGES = isLongRun ? 200_000 : 500;
const CONNECTIONS = isLongRun ? 400 : 25;
const REST_MS = 20_000;
const random = new SeededRandom(seedFromEnv(20_261_115));
const wallet = walletOf('fuzzed');
let exchange: Exchange;
let grammar: RequestGrammar;
let port: number;
let markets: string[];
let pid: string;

beforeAll(async () => {
  exchange = await Exchange.open({ env: { PRESAGE_QUICK_ASSETS: 'BTC' } });
  port = Number(new URL(exchange.sandbox.url).port);
  const [market, other] = [await exchange.newMarket('Is it fuzzed?'), await exchange.newMarket('Is it too?')];
  markets = [market.id, other.id];
  const sell = { market: market.id, side: 'sell', price: '0.55', size: '9' } as const;
  const { orderHash } = await exchange.client.order(wallet, sell);
  await exchange.client.order(walletOf('fuzzed too'), { ...sell, side: 'buy', size: '4' });
  await exchange.settled();
  const [trade] = await exchange.trades(market.id);
  const api = await readPublishedApi(exchange.client);
  grammar = new RequestGrammar(random, `127.0.0.1:${port}`, {
    operations: api.operations,
    good: goodValues(market.id, orderHash, trade!.txHash),
  });
  pid = await startOfService();
});
afterAll(() => exchange?.close());

function goodValues(market: string, hash: string, txHash: string): GoodValues {
  const wallets = ['address', 'user', 'trader', 'owner', 'userAddress', 'wallet'].map((name) => [name, wallet.address]);
  const ids = ['marketId', 'market', 'markets', 'marketAddress', 'id', 'market_id'].map((name) => [name, market]);
  return {
    ...Object.fromEntries([...wallets, ...ids]),
    hash,
    orderHash: hash,
    txHash,
    chain_id: '31337',
    asset: 'BTC',
  };
}

async function metric(name: string): Promise<number> {
  const text = await exchange.client.read<string>('/metrics');
  return Number(new RegExp(`^${name} (.+)$`, 'm').exec(text)?.[1]);
}

/** Another one after a crash. */
async function startOfService(): Promise<string> {
  return String(await metric('process_start_time_seconds'));
}

const residentMemory = () => metric('process_resident_memory_bytes');

/** When the collector has had its time; who asks every second leaves it none. */
async function restingMemory(): Promise<number> {
  await sleep(isLongRun ? REST_MS : 0);
  return residentMemory();
}

/** What the hostile ones took is given back within a minute, but for a tenth. */
async function memoryAfter(before: number): Promise<number> {
  let after = await restingMemory();
  for (let rest = 1; isLongRun && rest < 3 && after >= before * 1.1; rest += 1) after = await restingMemory();
  return after;
}

function say(text: string): void {
  process.stderr.write(`${text}\n`);
}

const inMebibytes = (bytes: number) => `${(bytes / 2 ** 20).toFixed(0)} MiB`;

const statusesOf = ({ statuses }: Fired) =>
  Object.entries(statuses)
    .map(([status, count]) => `${status}: ${count}`)
    .join(', ');

async function fireSome(): Promise<number> {
  const [startMs, startCpu] = [performance.now(), await metric('process_cpu_seconds_total')];
  const fired = await fire({ port, count: SLICE, connections: 16, draw: () => grammar.draw() });
  const perSecond = (fired.answered / (performance.now() - startMs)) * 1_000;
  const microseconds = (((await metric('process_cpu_seconds_total')) - startCpu) / fired.answered) * 1e6;
  const pace = `${perSecond.toFixed(0)}/s, ${microseconds.toFixed(0)} µs of the service's processor each`;
  say(`${fired.answered} requests, ${pace}: ${statusesOf(fired)}; ${fired.closed} connections closed`);
  for (const request of fired.leftAlone) say(`left alone after ${request}`);
  expect(fired.failures).toEqual([]);
  return fired.answered;
}

describe(`hostile clients, seed ${random.seed}`, () => {
  it(`get no failure for any of ${REQUESTS} requests drawn from the published API and spoilt`, async () => {
    // What it takes to be busy at all, most of it compiled code of paths that are seldom taken, is not what the hostile ones leave behind.
    let answered = 0;
    while (answered < REQUESTS / 10) answered += await fireSome();
    const before = await restingMemory();
    while (answered < REQUESTS) answered += await fireSome();
    const after = await memoryAfter(before);
    say(`${answered} requests; ${inMebibytes(before)} resident before, ${inMebibytes(after)} after`);
    expect(await startOfService()).toBe(pid);
    if (isLongRun) expect(after).toBeLessThan(before * 1.1);
  });

  it(`get nowhere with ${SHAPES} connections of raw bytes`, async () => {
    const { thrown, failures } = await throwShapes(port, SHAPES, random);
    expect(failures).toEqual([]);
    expect(thrown).toBeGreaterThanOrEqual(SHAPES);
    expect(await startOfService()).toBe(pid);
  });

  it(`get no further with ${MESSAGES} messages to the stream, right and wrong`, async () => {
    const how = { connections: CONNECTIONS, markets, random };
    if (isLongRun) await fuzzStream(exchange.sandbox.url, { ...how, count: MESSAGES / 10 });
    const before = await restingMemory();
    const fuzzed = await fuzzStream(exchange.sandbox.url, { ...how, count: MESSAGES });
    const after = await memoryAfter(before);
    say(`${JSON.stringify(fuzzed)}; ${inMebibytes(before)} resident before, ${inMebibytes(after)} after`);
    expect(fuzzed.sent).toBeGreaterThanOrEqual(MESSAGES);
    expect(fuzzed.refused).toBeGreaterThan(MESSAGES / 10);
    expect(fuzzed.closed[1011]).toBeUndefined();
    expect(await startOfService()).toBe(pid);
    if (isLongRun) expect(after).toBeLessThan(before * 1.1);
  });

  it('leave a service that trades as before, with nothing failed inside', async () => {
    const order = { market: markets[1] as `0x${string}`, side: 'buy', price: '0.4', size: '2' } as const;
    await exchange.client.order(wallet, order);
    expect(await exchange.client.order(walletOf('after the fuzz'), { ...order, side: 'sell' })).toMatchObject({
      matches: 1,
    });
    await exchange.settled();
    await waitFor('all are gone', async () => (await metric('process_open_fds')) < 200);
    expect(await exchange.sandbox.transcript()).not.toMatch(/request failed with an internal error|uncaught/);
  });
});
