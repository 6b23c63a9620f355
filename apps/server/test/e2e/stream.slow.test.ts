// The stream of the whole service: through settlement on chain, beside REST, and across kill -9.
import type { OrderbookSnapshot } from '@presage/protocol';
import { isLongRun, SeededRandom, seedFromEnv, waitFor, walletOf } from '@presage/testkit';
import type Type from 'typebox';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { expectSchema } from '../stream/published-schema.ts';
import { RebuiltBook } from '../stream/rebuilt-book.ts';
import { StreamClient, type StreamReply } from '../stream/stream-client.ts';
import { Exchange } from './exchange.ts';
import type { MarketBody } from './wire.ts';

const ROUNDS = isLongRun ? 40 : 6;
const seed = seedFromEnv(Date.now());
const random = new SeededRandom(seed);
const [ann, ben] = [walletOf('streamed ann'), walletOf('streamed ben')];
let exchange: Exchange;
let market: MarketBody;

beforeAll(async () => {
  exchange = await Exchange.open({ env: { PRESAGE_QUICK_ASSETS: 'BTC' } });
  market = await exchange.newMarket('Will it be streamed?');
});
afterAll(() => exchange?.close());

const bookOf = (outcome: 0 | 1) =>
  exchange.client.read<Type.Static<typeof OrderbookSnapshot>>(`/api/v1/orderbook/${market.id}?outcome=${outcome}`);

/** One request, many orders: the way a market maker quotes. */
async function placeBatch(size: number): Promise<void> {
  const orders = await Promise.all(
    Array.from({ length: size }, () =>
      exchange.client.signOrder(random.pick([ann, ben]), {
        market: market.id,
        side: random.pick(['buy', 'sell']),
        outcome: random.pick(['YES', 'NO']),
        price: `0.${random.int(48, 52)}`,
        size: String(random.int(1, 9)),
      }),
    ),
  );
  const { status } = await exchange.client.post('/api/v1/orders/batch', { orders });
  expect(status).toBe(200);
}

async function follow(client: StreamClient, books: readonly RebuiltBook[]): Promise<StreamReply[]> {
  const received = await client.drain();
  for (const message of received) {
    expectSchema(message);
    for (const book of books) book.follow(message);
  }
  return received;
}

it('shows after every answered batch the books that REST shows, by hash and by step', async () => {
  const client = await StreamClient.open(exchange.sandbox.url);
  const books = [new RebuiltBook(0), new RebuiltBook(1)] as const;
  client.send({ type: 'subscribe', marketId: market.id, data: { book: 'delta' } });
  for (let round = 0; round < ROUNDS; round++) {
    await placeBatch(10);
    await exchange.settled();
    await follow(client, books);
    for (const outcome of [0, 1] as const) {
      const { hash, seq } = await bookOf(outcome);
      expect(books[outcome].hash, `seed ${seed}`).toBe(hash);
      expect(books[outcome].seq).toBeLessThanOrEqual(seq);
      expect(books[outcome].gaps).toEqual([]);
    }
  }
  client.end();
});

it('sends every stage of a settlement for the trade and the wallet, and the balance after it', async () => {
  const quiet = await exchange.newMarket('Will it settle?');
  const client = await StreamClient.open(exchange.sandbox.url);
  client.send({ type: 'subscribe', marketId: quiet.id });
  client.send({ type: 'subscribe', channel: 'user', data: { address: ben.address } });
  await client.next('balance');
  await exchange.client.order(ann, { market: quiet.id, side: 'sell', price: '0.4', size: '5' });
  await exchange.client.order(ben, { market: quiet.id, side: 'buy', price: '0.4', size: '5' });
  await exchange.settled();
  await waitFor('the balance after the settlement was sent', async () => {
    const { balance } = await exchange.client.read<{ balance: string }>(
      `/api/v1/users/${ben.address}/balances?chain_id=${quiet.chainId}`,
    );
    return client.received.some(({ type, data }) => type === 'balance' && data.balance === balance);
  });
  client.received.forEach(expectSchema);
  const stagesOn = (channel: string | undefined) =>
    client.received.flatMap((message) =>
      message.type === 'trade_status' && message.channel === channel ? [message.data.stage] : [],
    );
  expect(stagesOn(undefined)).toEqual(['submitted', 'mined', 'confirmed']);
  expect(stagesOn('user')).toEqual(['submitted', 'mined', 'confirmed']);
  const steps = new Set(client.received.flatMap(({ marketId, seq }) => (marketId === quiet.id ? [seq] : [])));
  expect([...steps]).toEqual([1, 2, 3, 4, 5, 6]);
  const [last] = client.received.filter(({ type }) => type === 'trade_status').slice(-1);
  const [trade] = await exchange.trades(quiet.id);
  expect(last?.data).toEqual(trade);
  client.end();
});

it('sends the state of a quick market as the endpoint returns it', async () => {
  const client = await StreamClient.open(exchange.sandbox.url);
  client.send({ type: 'subscribe', channel: 'quick_market', data: { asset: 'btc' } });
  const received = await client.next('quick_market');
  expectSchema(received);
  expect(received.data).toMatchObject({ asset: 'BTC' });
  client.end();
});

it('after kill -9 never takes back what it sent, and a client that reconnects with fromSeq notices the break', async () => {
  const client = await StreamClient.open(exchange.sandbox.url);
  const books = [new RebuiltBook(0), new RebuiltBook(1)] as const;
  client.send({ type: 'subscribe', marketId: market.id, data: { book: 'delta' } });
  await client.drain();
  const writing = placeBatch(50).catch(() => undefined);
  await client.next('orderbook_delta');
  await exchange.sandbox.killGroup();
  await writing;
  expect(await client.closed()).toMatchObject({ code: 1006 });
  for (const message of client.received) for (const book of books) book.follow(message);
  const seen = Math.max(...client.received.map(({ seq }) => seq ?? 0));

  exchange = await exchange.reopen({ env: { PRESAGE_QUICK_ASSETS: 'BTC' } });
  const { seq } = await bookOf(0);
  expect(seq).toBeGreaterThanOrEqual(seen);
  const again = await StreamClient.open(exchange.sandbox.url);
  again.send({ type: 'subscribe', marketId: market.id, data: { book: 'delta', fromSeq: seen + 1 } });
  const received = await follow(again, books);
  const isWhole = received.every(({ type }) => type !== 'resync');
  if (isWhole) expect(Math.min(...received.map((message) => message.seq ?? seen + 1))).toBeLessThanOrEqual(seen + 1);
  else expect(received.filter(({ type }) => type === 'orderbook')).toHaveLength(2);
  expect(received[0]?.streamId).not.toBe(client.received[0]?.streamId);
  await exchange.settled();
  await follow(again, books);
  const hashes = [(await bookOf(0)).hash, (await bookOf(1)).hash];
  expect(books.map(({ hash, gaps }) => [hash, gaps])).toEqual(hashes.map((hash) => [hash, []]));
  again.end();
});

it('ends every connection with 1001 when the service is stopped', async () => {
  const client = await StreamClient.open(exchange.sandbox.url);
  client.send({ type: 'subscribe', marketId: market.id });
  await client.next('orderbook');
  const closed = client.closed();
  await exchange.sandbox.stop();
  expect(await closed).toMatchObject({ code: 1001 });
});
