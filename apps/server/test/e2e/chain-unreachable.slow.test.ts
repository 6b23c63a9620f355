// The chain is unreachable, slow, refuses or reorganizes: orders go on, and in the end everything settles once.
import { setTimeout as sleep } from 'node:timers/promises';
import {
  isLongRun,
  type OrderAnswerBody,
  SeededRandom,
  seedFromEnv,
  type WireSubmission,
  waitFor,
  walletOf,
} from '@presage/testkit';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { expectSettledOnce as expectAllSettledOnce, expectAnswered, expectFilledOnChain } from './answered-check.ts';
import { Exchange } from './exchange.ts';
import { RecordedLoad } from './recorded-load.ts';
import type { ErrorReply, FailedBody, MarketBody, OrderBody } from './wire.ts';

let exchange: Exchange;

beforeAll(async () => {
  exchange = await Exchange.open();
});
afterAll(() => exchange?.close());

const wallets = ['a', 'b', 'c', 'd'].map((name) => walletOf(`unreachable ${name}`));

function setFaults(faults: object) {
  return exchange.client.post('/sandbox/faults', faults);
}

async function refusedBatches(): Promise<number> {
  const text = await exchange.client.read<string>('/metrics');
  return Number(/^presage_settlement_batches_refused_total\{chain="31337"\} (\d+)$/m.exec(text)?.[1]);
}

/** A chain of sales in which each one needs the one before it. */
async function tradeAround(market: MarketBody): Promise<OrderAnswerBody[]> {
  const answers: OrderAnswerBody[] = [];
  for (const [index, seller] of wallets.slice(0, -1).entries()) {
    const params = { market: market.id, price: '0.5', size: String(4 - index) } as const;
    answers.push(await exchange.client.order(seller, { ...params, side: 'sell' }));
    answers.push(await exchange.client.order(wallets[index + 1]!, { ...params, side: 'buy' }));
  }
  return answers;
}

async function expectSettledOnce(market: MarketBody, answers: readonly OrderAnswerBody[]): Promise<void> {
  await exchange.settled();
  const trades = await exchange.trades(market.id);
  expect(trades.map(({ status }) => status)).toEqual(trades.map(() => 'confirmed'));
  for (const wallet of wallets) {
    const { reported, onChain } = await exchange.sharesBothWays(market, wallet);
    expect(reported).toEqual(onChain);
  }
  for (const { orderHash } of answers) {
    const order = await exchange.client.read<OrderBody & WireSubmission['order']>(`/api/v1/orders/${orderHash}`);
    expect(await exchange.chain.filled({ ...order, nonce: BigInt(order.nonce) })).toBe(BigInt(order.filledSize));
  }
  // Four shares were minted once and handed on: 4, then 3, then 2.
  const held = await Promise.all(wallets.map(({ address }) => exchange.chain.shares(market, address)));
  expect(held.map(({ yes }) => Number(yes) / 1e6)).toEqual([0, 1, 1, 2]);
  expect(held.map(({ no }) => Number(no) / 1e6)).toEqual([4, 0, 0, 0]);
}

describe('while the chain is down', () => {
  let market: MarketBody;
  let answers: OrderAnswerBody[];

  beforeAll(async () => {
    market = await exchange.newMarket('Is the chain there?');
    expect(await setFaults({ chain: 'down' })).toMatchObject({ status: 200, body: { chain: 'down' } });
    answers = await tradeAround(market);
  });

  it('orders are accepted and matched, and their trades are pending without a transaction', async () => {
    expect(answers.map(({ matches }) => matches)).toEqual([0, 1, 0, 1, 0, 1]);
    const trades = await exchange.trades(market.id);
    expect(trades).toHaveLength(3);
    for (const trade of trades) expect(trade).toMatchObject({ status: 'pending', stage: 'matched', txHash: '' });
    expect(await exchange.pending()).toHaveLength(3);
    expect(await exchange.position(market.id, wallets[1]!)).toMatchObject({ yesShares: 1_000_000 });
  });

  it('a sync is refused, and so is whatever else needs the chain', async () => {
    const body = { userAddress: wallets[0]!.address };
    const sync = await exchange.client.post<ErrorReply>(`/api/v1/positions/${market.id}/sync`, body);
    expect(sync).toMatchObject({ status: 503, body: { code: 'chain_sync_unavailable' } });
    expect(Number(sync.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    const fund = await exchange.client.post('/sandbox/fund', { address: wallets[0]!.address });
    expect(fund).toMatchObject({ status: 503, body: { code: 'chain_unavailable' } });
    const made = await exchange.client.post('/sandbox/markets', { question: 'Can one be made?' });
    expect(made).toMatchObject({ status: 503, body: { code: 'chain_unavailable' } });
  });

  it('the service is ready and says what is degraded', async () => {
    // What was found is reused for a second.
    await waitFor('the fault is noticed', async () => {
      const { degraded } = await exchange.client.read<{ degraded: string[] }>('/ready');
      return degraded.length > 0;
    });
    expect(await exchange.client.read('/ready')).toEqual({ status: 'ready', degraded: ['chain'] });
    expect(await exchange.client.read('/api/v1/status')).toMatchObject({
      dependencies: { chain: { up: false }, database: { up: true } },
      settlementQueue: { waiting: 3 },
      relayer: { balance: null },
    });
  });

  it('nothing is lost: switched on again, all settle, each once', async () => {
    await setFaults({ chain: 'up' });
    await expectSettledOnce(market, answers);
    expect(await exchange.client.read('/ready')).toEqual({ status: 'ready', degraded: [] });
  });
});

describe('a chain that misbehaves otherwise', () => {
  it('keeps trades pending while the settlement contract refuses, and settles them after', async () => {
    const market = await exchange.newMarket('Does the contract refuse?');
    expect(await setFaults({ settlement: 'revert' })).toMatchObject({ body: { settlement: 'revert' } });
    const answers = await tradeAround(market);
    const before = await refusedBatches();
    await waitFor('it was tried again and again', async () => (await refusedBatches()) > before + 1);
    expect((await exchange.trades(market.id)).map(({ status }) => status)).toEqual(['pending', 'pending', 'pending']);
    expect((await exchange.client.read<{ failedTrades: FailedBody[] }>('/api/v1/failed-trades')).failedTrades).toEqual(
      [],
    );
    expect(await setFaults({ settlement: 'normal' })).toMatchObject({ body: { settlement: 'normal' } });
    await expectSettledOnce(market, answers);
  });

  it('is only slow', async () => {
    const market = await exchange.newMarket('Is the chain slow?');
    await setFaults({ chain: 'slow' });
    const answers = await tradeAround(market);
    expect(answers.at(-1)).toMatchObject({ matches: 1 });
    await setFaults({ chain: 'up' });
    await expectSettledOnce(market, answers);
  });

  it('turns back some blocks, and everything is there again, once', async () => {
    const market = await exchange.newMarket('Does the chain turn back?');
    const answers = await tradeAround(market);
    await exchange.settled();
    expect(await setFaults({ reorgDepth: 3 })).toMatchObject({ status: 200 });
    await waitFor('it was noticed or outlived', async () => {
      const shares = await exchange.chain.shares(market, wallets[3]!.address);
      return shares.yes === 2_000_000n;
    });
    // While it is being noticed, what was taken back is not there yet again.
    await vi.waitFor(() => expectSettledOnce(market, answers), { timeout: 60_000, interval: 200 });
  });
});

const OUTAGE_MS = isLongRun ? 300_000 : 3_000;
const random = new SeededRandom(seedFromEnv(Date.now()));

/** Orders come all along: before, during and after. */
async function tradeThrough(question: string, outage: { begin(): unknown; end(): unknown }): Promise<void> {
  // So few that each can be checked by itself afterwards.
  const load = new RecordedLoad(random, isLongRun ? 150 : 800);
  const market = await exchange.newMarket(question);
  const writing = load.run(exchange.client, market.id);
  await load.answers(10);
  await outage.begin();
  const before = load.answered.length;
  await sleep(OUTAGE_MS);
  const during = load.answered.length - before;
  await outage.end();
  await load.answers(10);
  load.stop();
  await writing;
  process.stderr.write(`${question} ${OUTAGE_MS / 1_000} s: ${during} orders were accepted meanwhile\n`);
  expect(during).toBeGreaterThan(10);
  expect([load.refused, load.unanswered]).toEqual([[], []]);
  // Orders need no database, reads have some seconds to find it again.
  await vi.waitFor(() => exchange.pending(), { timeout: 30_000, interval: 200 });
  await waitFor('all are settled', async () => (await exchange.pending()).length === 0, { timeoutMs: 600_000 });
  await expectAnswered(exchange, load);
  await expectAllSettledOnce(exchange, [market], load.answered);
  await expectFilledOnChain(exchange, load.answered);
}

describe(`under load for ${OUTAGE_MS / 1_000} s, seed ${random.seed}`, () => {
  it('a chain that is unreachable refuses no order, and everything settles once afterwards', async () => {
    const outage = { begin: () => setFaults({ chain: 'down' }), end: () => setFaults({ chain: 'up' }) };
    await tradeThrough('Is the chain unreachable?', outage);
  });

  it('a database that stands still refuses no order, and shows everything afterwards', async () => {
    const { sandbox } = exchange;
    const outage = {
      begin: () => sandbox.signal('database', 'SIGSTOP'),
      end: () => sandbox.signal('database', 'SIGCONT'),
    };
    await tradeThrough('Does the database stand still?', outage);
  });
});
