// kill -9 of everything under load, again and again: what was answered is there, and nothing settles twice.
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { SeededRandom, seedFromEnv } from '@presage/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Exchange } from './exchange.ts';
import { type AnsweredOrder, BUYERS, RecordedLoad, SELLERS } from './recorded-load.ts';
import type { LifeEvent, MarketBody, OrderBody } from './wire.ts';

const KILLS = process.env.PRESAGE_TEST_LONG === '1' ? 20 : 2;
const random = new SeededRandom(seedFromEnv(Date.now()));
const load = new RecordedLoad(random);
const markets: MarketBody[] = [];
const WALLETS = [...BUYERS, ...SELLERS];
let exchange: Exchange;

beforeAll(async () => {
  exchange = await Exchange.open();
  await exchange.seededMarkets();
});
afterAll(() => exchange?.close());

async function lifeOf(hash: string): Promise<LifeEvent[]> {
  return (await exchange.client.read<{ events: LifeEvent[] }>(`/api/v1/orders/${hash}/events`)).events;
}

async function killUnderLoad(round: number): Promise<{ number: bigint; hash: string }> {
  const market = await exchange.newMarket(`Does round ${round} survive?`);
  markets.push(market);
  const writing = load.run(exchange.client, market.id);
  await sleep(random.int(200, 1_500));
  const head = await exchange.chain.head();
  await sleep(random.int(0, 50));
  await exchange.sandbox.killGroup();
  await writing;
  return head;
}

async function expectAnswered({ submission, answer }: AnsweredOrder): Promise<void> {
  const { orderHash } = answer;
  const order = await exchange.client.read<OrderBody>(`/api/v1/orders/${orderHash}`);
  expect(order).toMatchObject({ size: submission.order.size, nonce: submission.order.nonce });
  expect(order.filledSize).toBeGreaterThanOrEqual(answer.filledSize);
  const taken = (await lifeOf(orderHash)).filter(({ type, role }) => type === 'filled' && role === 'taker');
  expect(taken.map(({ id, tradeId, price, size }) => ({ id, tradeId, price, size }))).toEqual(answer.trades);
}

describe(`kill -9 of the whole sandbox, ${KILLS} times, seed ${random.seed}`, () => {
  for (let round = 1; round <= KILLS; round++) {
    it(`number ${round} loses no answered order, trade, cancel or market, and the chain keeps its head`, async () => {
      const from = { answered: load.answered.length, cancelled: load.cancelled.length };
      const head = await killUnderLoad(round);
      exchange = await exchange.reopen();
      expect(await exchange.chain.hashOfBlock(head.number)).toBe(head.hash);
      for (const { id, question } of markets) {
        expect(await exchange.client.read(`/api/v1/markets/${id}`)).toMatchObject({ question, status: 'open' });
      }
      await load.resolveUnanswered(exchange.client);
      expect(load.answered.length).toBeGreaterThan(from.answered);
      for (const answered of load.answered.slice(from.answered)) await expectAnswered(answered);
      for (const hash of load.cancelled.slice(from.cancelled)) {
        expect(await exchange.client.read(`/api/v1/orders/${hash}`)).toMatchObject({ status: 'cancelled' });
      }
    });
  }

  it('settles every trade once: balances on chain are what the answers add up to', async () => {
    await exchange.settled();
    expect(await exchange.client.read('/api/v1/failed-trades')).toEqual({ failedTrades: [], count: 0 });
    for (const market of markets) {
      const here = load.answered.filter(({ submission }) => submission.order.marketId === market.id);
      const expected = await expectedShares(here);
      for (const { address } of WALLETS) {
        const shares = expected.get(address) ?? { yes: 0n, no: 0n };
        expect(await exchange.chain.shares(market, address)).toEqual(shares);
        const { reported } = await exchange.sharesBothWays(market, { address });
        expect(reported).toEqual(shares);
      }
    }
  });

  it('counts on chain as filled exactly what every order says', async () => {
    for (const { submission, answer } of load.answered) {
      const { filledSize } = await exchange.client.read<OrderBody>(`/api/v1/orders/${answer.orderHash}`);
      expect(await exchange.chain.filled(submission.order)).toBe(BigInt(filledSize));
    }
  });
});

/** From the answers: each trade once for its taker, and in the life of exactly one resting order. */
async function expectedShares(orders: readonly AnsweredOrder[]) {
  const shares = new Map<string, { yes: bigint; no: bigint }>();
  const taken = orders.flatMap(({ answer }) => answer.trades.map(({ tradeId }) => tradeId));
  const rested: unknown[] = [];
  for (const { submission, answer } of orders) {
    const { trader, side } = submission.order;
    const fills = (await lifeOf(answer.orderHash)).filter(({ type }) => type === 'filled');
    rested.push(...fills.filter(({ role }) => role === 'maker').map(({ tradeId }) => tradeId));
    const size = fills.reduce((total, fill) => total + BigInt(fill.size as number), 0n);
    const { yes, no } = shares.get(trader) ?? { yes: 0n, no: 0n };
    shares.set(trader, side === 0 ? { yes: yes + size, no } : { yes, no: no + size });
  }
  expect(rested.toSorted()).toEqual(taken.toSorted());
  expect(new Set(taken).size).toBe(taken.length);
  return shares;
}

/** Everything that is read from the database, for everybody and everything of this file. */
async function readEverything(): Promise<Record<string, unknown>> {
  const paths = [
    ...['/api/v1/markets?kind=standard', '/api/v1/pending-trades', '/api/v1/failed-trades'],
    ...markets.map(({ id }) => `/api/v1/trades/${id}`),
    ...WALLETS.map(({ address }) => `/api/v1/users/${address}/positions?chain_id=31337`),
    ...markets.flatMap(({ id }) => WALLETS.map(({ address }) => `/api/v1/positions/${id}?user=${address}`)),
    ...load.answered.map(({ answer }) => `/api/v1/orders/${answer.orderHash}/events`),
  ];
  const answers: Record<string, unknown> = {};
  for (const path of paths) answers[path] = await exchange.client.read(path);
  return answers;
}

describe('a sandbox whose database was deleted', () => {
  it('builds it again and answers everything as before', async () => {
    const before = await readEverything();
    await exchange.sandbox.stop();
    await rm(join(exchange.sandbox.dataDir, 'service', 'database'), { recursive: true });
    exchange = await exchange.reopen();
    expect(await readEverything()).toEqual(before);
  });
});
