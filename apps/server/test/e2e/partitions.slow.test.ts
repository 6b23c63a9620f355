// A sandbox whose markets are spread over four partitions: to its users an exchange like any other, also after kill -9.
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { partitionOfMarket } from '@presage/protocol';
import { type OrderAnswerBody, openSandbox, waitFor, walletOf } from '@presage/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type KeptReceipt, verifyExchange } from '../../../../packages/sdk/src/verify/index.ts';
import { StreamClient } from '../stream/stream-client.ts';
import { Exchange } from './exchange.ts';
import type { LifeEvent, MarketBody, OrderBody, TradeBody } from './wire.ts';

const COUNT = 4;
const SPREAD = { PRESAGE_PARTITIONS: String(COUNT), PRESAGE_QUICK_ASSETS: 'off' };
const [alice, bob, carol] = [walletOf('spread alice'), walletOf('spread bob'), walletOf('spread carol')];

let exchange: Exchange;
/** One in each partition. */
const markets: MarketBody[] = [];
const receipts: KeptReceipt[] = [];

beforeAll(async () => {
  exchange = await Exchange.open({ isNew: true, env: SPREAD });
  for (let n = 0; markets.filter(Boolean).length < COUNT; n++) {
    const market = await exchange.newMarket(`Is number ${n} spread?`);
    markets[partitionOfMarket(market.id, COUNT)] ??= market;
  }
});
afterAll(() => exchange?.close());

type Answered = OrderAnswerBody & Pick<KeptReceipt, 'receipt'>;

async function order(wallet: typeof alice, market: MarketBody, terms: { side: 'buy' | 'sell'; price: string }) {
  const answer = (await exchange.client.order(wallet, { market: market.id, size: '10', ...terms })) as Answered;
  receipts.push({ orderHash: answer.orderHash, receipt: answer.receipt });
  return answer;
}

const openOf = async ({ address }: typeof alice) =>
  (await exchange.client.read<{ orders: OrderBody[] }>(`/api/v1/orders?trader=${address}`)).orders;

/** All that is said of what was done here. */
async function readEverything(): Promise<unknown[]> {
  const wallets = [alice, bob, carol].map(({ address }) => address);
  const paths = [
    '/api/v1/platform/stats',
    ...markets.flatMap(({ id }) => [`/api/v1/trades/${id}`, `/api/v1/orderbook/${id}`]),
    ...wallets.map((wallet) => `/api/v1/users/${wallet}/positions?chain_id=31337`),
    ...wallets.map((wallet) => `/api/v1/users/${wallet}/activity?chain_id=31337`),
    ...receipts.map(({ orderHash }) => `/api/v1/orders/${orderHash}/events`),
  ];
  return Promise.all(paths.map(async (path) => [path, await exchange.client.read(path)]));
}

async function verify() {
  const { url, rpcUrl } = exchange.sandbox;
  return verifyExchange({ url, rpcUrl, receipts });
}

describe(`markets in ${COUNT} partitions`, () => {
  it('trade and settle in each, with receipts of their own partition and ids that no two trades share', async () => {
    const answers: Answered[] = [];
    for (const [index, market] of markets.entries()) {
      const resting = await order(alice, market, { side: 'sell', price: '0.4' });
      const taking = await order(bob, market, { side: 'buy', price: '0.4' });
      expect(taking.matches).toBe(1);
      expect([resting, taking].map(({ receipt }) => receipt.partition)).toEqual([`m${index}`, `m${index}`]);
      answers.push(taking);
    }
    const ids = answers.flatMap(({ trades }) => trades.map(({ id }) => id));
    expect(new Set(ids).size).toBe(COUNT);
    await exchange.settled();
    for (const [index, market] of markets.entries()) {
      const [trade] = (await exchange.trades(market.id)) as [TradeBody];
      expect(trade).toMatchObject({ status: 'confirmed', id: ids[index] });
      const { reported, onChain } = await exchange.sharesBothWays(market, bob);
      expect(reported).toEqual(onChain);
      const { events } = await exchange.client.read<{ events: LifeEvent[] }>(
        `/api/v1/orders/${answers[index]!.orderHash}/events`,
      );
      expect(events.find(({ type }) => type === 'filled')).toMatchObject({ id: ids[index] });
    }
    const { activity } = await exchange.client.read<{ activity: { timestamp: number }[] }>(
      `/api/v1/users/${bob.address}/activity?chain_id=31337`,
    );
    expect(activity).toHaveLength(COUNT);
    const times = activity.map(({ timestamp }) => timestamp);
    expect(times).toEqual(times.toSorted((a, b) => b - a));
    const stats = await exchange.client.read<{ total_trades: number }>('/api/v1/platform/stats');
    expect(stats.total_trades).toBe(COUNT);
  });

  it('answer an order that is sent again as the first time, with the same ids and the same receipt', async () => {
    const [market] = markets as [MarketBody];
    const submission = await exchange.client.signOrder(carol, {
      market: market.id,
      side: 'buy',
      price: '0.1',
      size: '1',
    });
    const first = await exchange.client.post<Answered>('/api/v1/orders', submission);
    const again = await exchange.client.post<Answered>('/api/v1/orders', submission);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(again.body).toEqual(first.body);
  });

  it('are all meant by a cancel-all and by a dead-man switch', async () => {
    for (const market of markets) await order(carol, market, { side: 'buy', price: '0.2' });
    expect(await openOf(carol)).toHaveLength(COUNT + 1);
    const { body } = await exchange.client.delete<{ cancelled: string[] }>(`/api/v1/orders?trader=${carol.address}`);
    expect(body.cancelled).toHaveLength(COUNT + 1);
    expect(await openOf(carol)).toEqual([]);
    for (const market of markets) await order(carol, market, { side: 'buy', price: '0.3' });
    await exchange.client.post('/api/v1/orders/heartbeat', { trader: carol.address, timeoutSeconds: 5 });
    await waitFor('the switch has cancelled everything', async () => (await openOf(carol)).length === 0);
  });

  it('are read from one stream', async () => {
    const client = await StreamClient.open(exchange.sandbox.url);
    for (const { id } of markets) client.send({ type: 'subscribe', marketId: id, data: { book: 'delta' } });
    await client.drain();
    for (const market of markets) await order(alice, market, { side: 'sell', price: '0.9' });
    const heard = (await client.drain())
      .filter(({ type }) => type === 'orderbook_delta')
      .map(({ marketId }) => marketId);
    expect(new Set(heard)).toEqual(new Set(markets.map(({ id }) => id)));
    client.end();
  });

  it('are published each, and sound together: presage verify checks all of them', async () => {
    const { heads } = await exchange.client.read<{ heads: { partition: string }[] }>('/api/v1/journal/head');
    expect(heads.map(({ partition }) => partition)).toEqual(
      expect.arrayContaining(['m0', 'm1', 'm2', 'm3', 'control']),
    );
    const result = await verify();
    expect(result).toMatchObject({ sound: true, counts: { receipts: receipts.length } });
    expect(result.points.map(({ partition }) => partition)).toEqual(['m0', 'm1', 'm2', 'm3']);
    expect((await exchange.client.get('/api/v1/journal/m4')).status).toBe(404);
  });

  it('are all there after kill -9, and still sound', async () => {
    await exchange.settled();
    const before = await readEverything();
    await exchange.sandbox.killGroup();
    exchange = await exchange.reopen({ env: SPREAD });
    expect(await readEverything()).toEqual(before);
    expect(await verify()).toMatchObject({ sound: true });
    await exchange.sandbox.stop();
    const folders = await readdir(join(exchange.sandbox.dataDir, 'service', 'journal'));
    expect(folders.toSorted()).toEqual(['chain-31337', 'control', 'm0', 'm1', 'm2', 'm3']);
  });

  it('cannot be spread anew: the start is refused and names the number to set', async () => {
    const { dataDir } = exchange.sandbox;
    await expect(openSandbox({ dataDir, env: { PRESAGE_PARTITIONS: '2' } })).rejects.toThrow(
      'set PRESAGE_PARTITIONS=4',
    );
  });
});
