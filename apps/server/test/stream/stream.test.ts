// What the stream says: every message by its schema, in step order, to those who asked for it and nobody else.
import type { Address, ClaimChanged } from '@presage/protocol';
import { createOrderBuilders, TEST_MARKET, TRADERS } from '@presage/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { expectSchema } from './published-schema.ts';
import type { StreamClient, StreamReply } from './stream-client.ts';
import { openStreamRoom, type StreamRoom } from './stream-room.ts';

let room: StreamRoom;
let traders: ReturnType<typeof createOrderBuilders>;
let client: StreamClient;

beforeEach(async () => {
  room = await openStreamRoom();
  traders = createOrderBuilders(room.clock);
  client = await room.connect();
});
afterEach(async () => {
  client.told.forEach(expectSchema);
  await room.close();
});

const subscribe = (data?: object, id?: unknown) => ({
  type: 'subscribe',
  marketId: TEST_MARKET,
  ...(data && { data }),
  ...(id !== undefined && { id }),
});
const types = (messages: readonly StreamReply[]) => messages.map(({ type }) => type);
const submit = (command: Parameters<StreamRoom['host']['submit']>[0]) => room.host.submit(command);

describe('subscribing to a market', () => {
  it('is confirmed with the id, then shows both books, then every step', async () => {
    await submit(traders.aliceBuysYes({ price: '0.4', size: '10' }));
    client.send(subscribe(undefined, 7));
    const [confirmed, yes, no] = await client.drain();
    expect(confirmed).toMatchObject({
      type: 'subscribe',
      marketId: TEST_MARKET,
      id: 7,
      data: { status: 'subscribed' },
    });
    const bids = [{ price: 400_000, size: 10_000_000 }];
    expect(yes).toMatchObject({ type: 'orderbook', seq: 2, data: { outcome: 0, bids, asks: [] } });
    expect(yes?.data.hash).toBe(room.host.reads.bookHash(TEST_MARKET, 0));
    expect(no).toMatchObject({
      type: 'orderbook',
      seq: 2,
      data: { outcome: 1, bids: [], asks: [], hash: '0'.repeat(16) },
    });
    await submit(traders.bobSellsYes({ price: '0.4', size: '4' }));
    const step = await client.drain();
    expect(types(step)).toEqual(['trade', 'orderbook']);
    expect(new Set(step.map(({ seq }) => seq))).toEqual(new Set([3]));
    expect(step[0]?.data).toMatchObject({
      price: 400_000,
      size: 4_000_000,
      side: 1,
      status: 'pending',
      stage: 'matched',
      txHash: '',
    });
    expect(step[1]).toMatchObject({ prevSeq: 2, data: { bids: [{ price: 400_000, size: 6_000_000 }] } });
  });

  it('ends each step with its receipt, for those who asked for receipts, also when the steps are repeated', async () => {
    client.send(subscribe({ book: 'delta', receipts: true }));
    await client.drain();
    await submit(traders.aliceBuysYes({ price: '0.4', size: '10' }));
    await submit(traders.bobSellsYes({ price: '0.4', size: '4' }));
    const told = await client.drain();
    expect(types(told)).toEqual(['orderbook_delta', 'receipt', 'trade', 'orderbook_delta', 'receipt']);
    const receipts = told.filter(({ type }) => type === 'receipt');
    expect(receipts.map(({ seq, data }) => [seq, data.seq, data.lastSeq])).toEqual([
      [2, 2, 2],
      [3, 3, 4],
    ]);
    const frameHash = `0x${Buffer.from(room.log.head!.hash).toString('hex')}`;
    expect(receipts[1]?.data).toMatchObject({ partition: 'm0', frameHash, signature: expect.stringMatching(/^0x/) });
    const late = await room.connect();
    late.send(subscribe({ book: 'delta', receipts: true, fromSeq: 3 }));
    expect(types(await late.drain())).toEqual(['subscribe', 'trade', 'orderbook_delta', 'receipt']);
  });

  it('tells every kind of step at least once to a full subscriber, each one more than the last', async () => {
    client.send(subscribe());
    const { orderHash } = traders.aliceBuysYes({ price: '0.4', size: '10' });
    const resting = traders.aliceBuysYes({ price: '0.4', size: '10' });
    await submit(resting);
    await submit(traders.bobSellsYes({ price: '0.4', size: '4' }));
    await submit(traders.bobSellsNo({ price: '0.4', size: '4', timeInForce: 'IOC' }));
    const [trade] = room.host.reads.unsettledTrades(TEST_MARKET);
    await submit({ type: 'move-trade', marketId: TEST_MARKET, tradeId: trade!.tradeId, stage: 'submitted' });
    await submit({
      type: 'fail-trade',
      marketId: TEST_MARKET,
      tradeId: trade!.tradeId,
      faultParty: 'seller',
      reason: 'no shares',
    });
    await submit({ type: 'cancel-order', marketId: TEST_MARKET, orderHash: resting.orderHash, reason: 'user' });
    await submit({ type: 'close-market', marketId: TEST_MARKET, reason: 'vanished' });
    expect(orderHash).not.toBe(resting.orderHash);
    const told = (await client.drain()).slice(3);
    expect([...new Set(told.map(({ seq }) => seq))]).toEqual([2, 3, 4, 5, 6, 7, 8]);
    expect(types(told)).toEqual([
      ...['orderbook', 'trade', 'orderbook', 'order_cancelled', 'trade_status', 'trade_status'],
      ...['order_cancelled', 'orderbook', 'order_cancelled', 'orderbook', 'market'],
    ]);
    const failed = told.filter(({ type }) => type === 'trade_status')[1];
    expect(failed?.data).toMatchObject({
      status: 'failed',
      stage: 'failed',
      reason: 'no shares',
      faultParty: 'seller',
    });
    expect(told.at(-1)?.data).toMatchObject({ status: 'expired', resolved: false });
  });

  it('tells each step of its own where many were made durable in one write', async () => {
    client.send(subscribe({ book: 'delta' }));
    await submit(traders.aliceBuysYes({ price: '0.4', size: '10' }));
    await submit(traders.bobSellsYes({ price: '0.4', size: '4' }));
    await submit(traders.carolSellsYes({ price: '0.4', size: '1' }));
    await client.drain();
    const [first, second] = room.host.reads.unsettledTrades(TEST_MARKET);
    const settlement = {
      transactionHash: `0x${'12'.repeat(32)}`,
      batchIndex: 0,
      isBatch: true,
      attempt: 1,
    } as const;
    await room.commands.changeTrades([
      { trade: first!, to: 'submitted', settlement },
      { trade: second!, to: 'submitted', settlement },
      { trade: first!, to: 'mined', settlement },
      { trade: second!, to: { faultParty: 'seller', reason: 'no shares' }, settlement },
      { trade: first!, to: 'confirmed', settlement },
    ]);
    const told = await client.drain();
    const statuses = told.filter(({ type }) => type === 'trade_status');
    expect(statuses.map(({ seq, data }) => [seq, data.tradeId, data.stage])).toEqual([
      [5, first?.tradeId, 'submitted'],
      [6, second?.tradeId, 'submitted'],
      [7, first?.tradeId, 'mined'],
      [8, second?.tradeId, 'failed'],
      [9, first?.tradeId, 'confirmed'],
    ]);
    expect(told.find(({ type }) => type === 'orderbook_delta')).toMatchObject({
      seq: 8,
      prevSeq: 4,
      data: { changes: [{ side: 0, price: 400_000, size: 6_000_000 }] },
    });
  });

  it('tells how the market is decided, with its status, to readers of either outcome', async () => {
    client.send(subscribe({ outcome: 1 }));
    await submit({ type: 'close-market', marketId: TEST_MARKET, reason: 'expired' });
    const resolution = {
      status: 'resolved',
      round: 0,
      history: [],
      payouts: [1_000_000, 0],
      winningOutcome: 0,
    } as const;
    await submit({ type: 'change-resolution', marketId: TEST_MARKET, resolution });
    const told = (await client.drain()).slice(2);
    expect(told.map(({ type, seq, data }) => [type, seq, data.status])).toEqual([
      ['market', 2, 'expired'],
      ['resolution', 3, 'resolved'],
      ['market', 3, 'resolved'],
    ]);
    expect(told[2]?.data).toMatchObject({ resolved: true, winningOutcome: 0 });
    expect(told[1]?.data).toMatchObject({ payouts: [1_000_000, 0], winningOutcome: 0 });
  });

  it('with an outcome tells of that outcome only, and its book messages still chain', async () => {
    client.send(subscribe({ outcome: 1 }));
    await submit(traders.aliceBuysNo({ price: '0.4', size: '1' }));
    await submit(traders.aliceBuysYes({ price: '0.4', size: '1' }));
    await submit(traders.bobSellsYes({ price: '0.4', size: '1' }));
    await submit(traders.bobSellsNo({ price: '0.4', size: '1' }));
    const [, ...told] = await client.drain();
    expect(told.map(({ type, seq, prevSeq }) => [type, seq, prevSeq])).toEqual([
      ['orderbook', 1, 1],
      ['orderbook', 2, 1],
      ['trade', 5, undefined],
      ['orderbook', 5, 2],
    ]);
  });

  it('replaces a former subscription to the same market, and ends with unsubscribe', async () => {
    client.send(subscribe());
    client.send(subscribe({ outcome: 0, book: 'delta' }));
    await client.drain();
    await submit(traders.aliceBuysYes({ price: '0.4', size: '1' }));
    expect(types(await client.drain())).toEqual(['orderbook_delta']);
    client.send({ type: 'unsubscribe', marketId: TEST_MARKET, id: 'bye' });
    expect(await client.next('unsubscribe')).toMatchObject({ id: 'bye', data: { status: 'unsubscribed' } });
    await submit(traders.aliceBuysYes({ price: '0.4', size: '1' }));
    expect(await client.drain()).toEqual([]);
  });

  it('takes a delta with absolute sizes, zero for a level that went, and the hash of the book after it', async () => {
    client.send(subscribe({ book: 'delta' }));
    const resting = traders.aliceBuysYes({ price: '0.4', size: '10' });
    await submit(resting);
    await submit(traders.carolBuysYes({ price: '0.4', size: '5' }));
    await submit(traders.bobSellsYes({ price: '0.3', size: '16' }));
    const deltas = (await client.drain()).filter(({ type }) => type === 'orderbook_delta');
    expect(deltas.map(({ data }) => data.changes)).toEqual([
      [{ side: 0, price: 400_000, size: 10_000_000 }],
      [{ side: 0, price: 400_000, size: 15_000_000 }],
      [
        { side: 1, price: 300_000, size: 1_000_000 },
        { side: 0, price: 400_000, size: 0 },
      ],
    ]);
    expect(deltas.map(({ seq, prevSeq }) => [seq, prevSeq])).toEqual([
      [2, 1],
      [3, 2],
      [4, 3],
    ]);
    expect(deltas[2]?.data.hash).toBe(room.host.reads.bookHash(TEST_MARKET, 0));
  });

  it('names the snapshot as previous book message to one who joined after the last change', async () => {
    const early = await room.connect();
    early.send(subscribe({ book: 'delta' }));
    await early.drain();
    await submit(traders.aliceBuysNo({ price: '0.4', size: '1' }));
    await submit(traders.aliceBuysNo({ price: '0.4', size: '1' }));
    client.send(subscribe({ book: 'delta' }));
    await client.drain();
    await submit(traders.aliceBuysYes({ price: '0.4', size: '1' }));
    expect(await client.next('orderbook_delta')).toMatchObject({ seq: 4, prevSeq: 3 });
    expect((await early.drain()).at(-1)).toMatchObject({ seq: 4, prevSeq: 1 });
  });

  it('writes sizes past 2^53 to the last digit', async () => {
    client.send(subscribe());
    const size = '9007199254.740991';
    await submit(traders.aliceBuysYes({ price: '0.4', size }));
    await submit(traders.carolBuysYes({ price: '0.4', size }));
    const books = (await client.drain()).filter(({ type }) => type === 'orderbook');
    expect(books.at(-1)?.data.bids).toEqual([{ price: 400_000, size: 18_014_398_509_481_982n }]);
  });
});

describe('coming back with fromSeq', () => {
  async function missThreeSteps(data: object): Promise<StreamClient> {
    const before = await room.connect();
    before.send(subscribe(data));
    await before.drain();
    await submit(traders.aliceBuysYes({ price: '0.4', size: '10' }));
    await before.drain();
    before.end();
    await submit(traders.bobSellsYes({ price: '0.4', size: '1' }));
    await submit(traders.aliceBuysNo({ price: '0.1', size: '1' }));
    await submit(traders.bobSellsYes({ price: '0.4', size: '1' }));
    return room.connect();
  }

  it('repeats every retained step from that one on, deltas and all', async () => {
    client = await missThreeSteps({ book: 'delta' });
    client.send(subscribe({ book: 'delta', fromSeq: 3 }));
    const told = (await client.drain()).slice(1);
    expect(told.map(({ type, seq, prevSeq }) => [type, seq, prevSeq])).toEqual([
      ['trade', 3, undefined],
      ['orderbook_delta', 3, 2],
      ['orderbook_delta', 4, 1],
      ['trade', 5, undefined],
      ['orderbook_delta', 5, 3],
    ]);
  });

  it('repeats what was not a book and shows the books as they are to one that takes them whole', async () => {
    client = await missThreeSteps({});
    client.send(subscribe({ fromSeq: '3' }));
    const told = (await client.drain()).slice(1);
    expect(types(told)).toEqual(['trade', 'trade', 'orderbook', 'orderbook']);
    expect(told[2]).toMatchObject({ seq: 5, conflated: true, data: { bids: [{ price: 400_000, size: 8_000_000 }] } });
  });

  it('repeats nothing when nothing was missed', async () => {
    client = await missThreeSteps({ book: 'delta' });
    client.send(subscribe({ book: 'delta', fromSeq: 6 }));
    expect(types(await client.drain())).toEqual(['subscribe']);
  });

  it.each([0, 1, 7, '18446744073709551615'])(
    'answers resync and a snapshot when step %s is not retained',
    async (fromSeq) => {
      client = await missThreeSteps({ book: 'delta' });
      client.send(subscribe({ book: 'delta', fromSeq }));
      const told = await client.drain();
      expect(types(told)).toEqual(['subscribe', 'resync', 'orderbook', 'orderbook']);
      expect(told[1]).toMatchObject({ marketId: TEST_MARKET, seq: 5, data: { reason: 'not_retained' } });
    },
  );
});

function claimOf(userAddress: Address): ClaimChanged {
  const hash = `0x${'77'.repeat(32)}` as const;
  return {
    type: 'claim-changed',
    timeMs: room.clock.nowMs,
    claimId: 'c1',
    txHash: hash,
    userAddress,
    marketAddress: TRADERS.dave,
    marketId: TEST_MARKET,
    payout: '7000000',
    winningOutcome: 0,
    submittedAt: room.clock.nowSeconds,
    status: 'pending',
  };
}

describe('channels', () => {
  const alice = TRADERS.alice.toUpperCase().replace('0X', '0x');

  it('tells a wallet of its orders, fills, trades, claims and balance, and of nobody else', async () => {
    client.send({ type: 'subscribe', channel: 'user', data: { address: alice }, id: 1 });
    expect(await client.next('subscribe')).toMatchObject({ channel: 'user', id: 1, data: { status: 'subscribed' } });
    expect(await client.next('balance')).toMatchObject({ data: { balance: '5000000', available: '4999997' } });
    await submit(traders.aliceBuysYes({ price: '0.4', size: '10' }));
    await submit(traders.carolBuysYes({ price: '0.3', size: '10' }));
    await submit(traders.bobSellsYes({ price: '0.3', size: '12' }));
    const [first, second] = room.host.reads.unsettledTrades(TEST_MARKET);
    await submit({ type: 'move-trade', marketId: TEST_MARKET, tradeId: first!.tradeId, stage: 'submitted' });
    await submit({ type: 'move-trade', marketId: TEST_MARKET, tradeId: second!.tradeId, stage: 'submitted' });
    await submit({
      type: 'fail-trade',
      marketId: TEST_MARKET,
      tradeId: first!.tradeId,
      faultParty: 'seller',
      reason: 'no shares',
    });
    await room.host.note(claimOf(TRADERS.alice));
    await room.host.note(claimOf(TRADERS.bob));
    const told = await client.drain();
    expect(told.map(({ type, seq }) => [type, seq])).toEqual([
      ['order', 2],
      ['fill', 4],
      ['order', 4],
      ['trade_status', 5],
      ['trade_status', 7],
      ['order', 7],
      ['claim', undefined],
    ]);
    expect(told.at(-1)?.data).toMatchObject({ payout: 7_000_000, winningOutcome: 0, status: 'pending' });
    expect(told.every(({ channel }) => channel === 'user')).toBe(true);
    expect(told[1]?.data).toMatchObject({
      role: 'maker',
      side: 0,
      size: 10_000_000,
      cost: 4_000_000,
      id: expect.any(Number),
      tradeId: first!.tradeId,
    });
    expect(told[2]?.data).toMatchObject({ status: 'filled', remainingSize: 0 });
    expect(told[5]?.data).toMatchObject({ status: 'open', remainingSize: 10_000_000 });
  });

  it('tells both halves to a wallet that trades with itself', async () => {
    client.send({ type: 'subscribe', channel: 'user', data: { address: alice } });
    await client.drain();
    await submit(traders.aliceBuysYes({ price: '0.4', size: '1' }));
    await submit(traders.aliceSellsYes({ price: '0.4', size: '1' }));
    const fills = (await client.drain()).filter(({ type }) => type === 'fill');
    expect(fills.map(({ data }) => [data.role, data.side])).toEqual([
      ['maker', 0],
      ['taker', 1],
    ]);
  });

  it('tells how the quick market of an asset stands, at once and when it changes, until unsubscribed', async () => {
    const standing = { active: false, asset: 'BTC', nextMarket: null, quickMarket: null };
    client.send({ type: 'subscribe', channel: 'quick_market', data: { asset: 'btc' } });
    expect(await client.next('quick_market')).toMatchObject({ channel: 'quick_market', data: standing });
    room.stream.publishQuickMarket('ETH');
    room.stream.publishQuickMarket('BTC');
    expect((await client.drain()).map(({ data }) => data)).toEqual([standing]);
    client.send({ type: 'unsubscribe', channel: 'quick_market', data: { asset: 'BTC' } });
    client.send({ type: 'unsubscribe', channel: 'user', data: { address: alice } });
    await client.drain();
    room.stream.publishQuickMarket('BTC');
    expect(await client.drain()).toEqual([]);
  });
});
