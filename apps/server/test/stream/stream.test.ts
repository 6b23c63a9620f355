// What the stream says: every message by its schema, in step order, to those who asked for it and nobody else.
import { type Address, type ClaimChanged, toChecksumAddress } from '@presage/protocol';
import { createOrderBuilders, listMarket, TEST_MARKET, TRADERS } from '@presage/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { expectSchema } from './published-schema.ts';
import type { StreamClient, StreamReply } from './stream-client.ts';
import { openStreamFixture, type StreamFixture } from './stream-fixture.ts';

let fixture: StreamFixture;
let traders: ReturnType<typeof createOrderBuilders>;
let client: StreamClient;

beforeEach(async () => {
  fixture = await openStreamFixture();
  traders = createOrderBuilders(fixture.clock);
  client = await fixture.connect();
});
afterEach(async () => {
  client.received.forEach(expectSchema);
  await fixture.close();
});

const subscribe = (data?: object, id?: unknown) => ({
  type: 'subscribe',
  marketId: TEST_MARKET,
  ...(data && { data }),
  ...(id !== undefined && { id }),
});
const types = (messages: readonly StreamReply[]) => messages.map(({ type }) => type);
const submit = (command: Parameters<StreamFixture['host']['submit']>[0]) => fixture.host.submit(command);

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
    expect(yes?.data.hash).toBe(fixture.host.reads.bookHash(TEST_MARKET, 0));
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
    const received = await client.drain();
    expect(types(received)).toEqual(['orderbook_delta', 'receipt', 'trade', 'orderbook_delta', 'receipt']);
    const receipts = received.filter(({ type }) => type === 'receipt');
    expect(receipts.map(({ seq, data }) => [seq, data.seq, data.lastSeq])).toEqual([
      [2, 2, 2],
      [3, 3, 4],
    ]);
    const frameHash = `0x${Buffer.from(fixture.log.head!.hash).toString('hex')}`;
    expect(receipts[1]?.data).toMatchObject({ partition: 'm0', frameHash, signature: expect.stringMatching(/^0x/) });
    const late = await fixture.connect();
    late.send(subscribe({ book: 'delta', receipts: true, fromSeq: 3 }));
    expect(types(await late.drain())).toEqual(['subscribe', 'trade', 'orderbook_delta', 'receipt']);
  });

  it('sends every kind of step at least once to a full subscriber, with seq rising by one', async () => {
    client.send(subscribe());
    const { orderHash } = traders.aliceBuysYes({ price: '0.4', size: '10' });
    const resting = traders.aliceBuysYes({ price: '0.4', size: '10' });
    await submit(resting);
    await submit(traders.bobSellsYes({ price: '0.4', size: '4' }));
    await submit(traders.bobSellsNo({ price: '0.4', size: '4', timeInForce: 'IOC' }));
    const [trade] = fixture.host.reads.unsettledTrades({ marketId: TEST_MARKET });
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
    const received = (await client.drain()).slice(3);
    expect([...new Set(received.map(({ seq }) => seq))]).toEqual([2, 3, 4, 5, 6, 7, 8]);
    expect(types(received)).toEqual([
      'orderbook',
      'trade',
      'orderbook',
      'order_cancelled',
      'trade_status',
      'trade_status',
      'order_cancelled',
      'orderbook',
      'order_cancelled',
      'orderbook',
      'market',
    ]);
    const failed = received.filter(({ type }) => type === 'trade_status')[1];
    expect(failed?.data).toMatchObject({
      status: 'failed',
      stage: 'failed',
      reason: 'no shares',
      faultParty: 'seller',
    });
    expect(received.at(-1)?.data).toMatchObject({ status: 'expired', resolved: false });
  });

  it('sends each step separately when many became durable in one write', async () => {
    client.send(subscribe({ book: 'delta' }));
    await submit(traders.aliceBuysYes({ price: '0.4', size: '10' }));
    await submit(traders.bobSellsYes({ price: '0.4', size: '4' }));
    await submit(traders.carolSellsYes({ price: '0.4', size: '1' }));
    await client.drain();
    const [first, second] = fixture.host.reads.unsettledTrades({ marketId: TEST_MARKET });
    const settlement = {
      transactionHash: `0x${'12'.repeat(32)}`,
      batchIndex: 0,
      isBatch: true,
      attempt: 1,
    } as const;
    await fixture.commands.changeTrades([
      { trade: first!, to: 'submitted', settlement },
      { trade: second!, to: 'submitted', settlement },
      { trade: first!, to: 'mined', settlement },
      { trade: second!, to: { faultParty: 'seller', reason: 'no shares' }, settlement },
      { trade: first!, to: 'confirmed', settlement },
    ]);
    const received = await client.drain();
    const statuses = received.filter(({ type }) => type === 'trade_status');
    expect(statuses.map(({ seq, data }) => [seq, data.tradeId, data.stage])).toEqual([
      [5, first?.tradeId, 'submitted'],
      [6, second?.tradeId, 'submitted'],
      [7, first?.tradeId, 'mined'],
      [8, second?.tradeId, 'failed'],
      [9, first?.tradeId, 'confirmed'],
    ]);
    expect(received.find(({ type }) => type === 'orderbook_delta')).toMatchObject({
      seq: 8,
      prevSeq: 4,
      data: { changes: [{ side: 0, price: 400_000, size: 6_000_000 }] },
    });
  });

  it('sends the resolution of the market, with its status, to readers of either outcome', async () => {
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
    const received = (await client.drain()).slice(2);
    expect(received.map(({ type, seq, data }) => [type, seq, data.status])).toEqual([
      ['market', 2, 'expired'],
      ['resolution', 3, 'resolved'],
      ['market', 3, 'resolved'],
    ]);
    expect(received[2]?.data).toMatchObject({ resolved: true, winningOutcome: 0 });
    expect(received[1]?.data).toMatchObject({ payouts: [1_000_000, 0], winningOutcome: 0 });
  });

  it('with an outcome sends that outcome only, and its book messages still chain', async () => {
    client.send(subscribe({ outcome: 1 }));
    await submit(traders.aliceBuysNo({ price: '0.4', size: '1' }));
    await submit(traders.aliceBuysYes({ price: '0.4', size: '1' }));
    await submit(traders.bobSellsYes({ price: '0.4', size: '1' }));
    await submit(traders.bobSellsNo({ price: '0.4', size: '1' }));
    const [, ...received] = await client.drain();
    expect(received.map(({ type, seq, prevSeq }) => [type, seq, prevSeq])).toEqual([
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
    expect(deltas[2]?.data.hash).toBe(fixture.host.reads.bookHash(TEST_MARKET, 0));
  });

  it('names the snapshot as previous book message to one who joined after the last change', async () => {
    const early = await fixture.connect();
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
    const before = await fixture.connect();
    before.send(subscribe(data));
    await before.drain();
    await submit(traders.aliceBuysYes({ price: '0.4', size: '10' }));
    await before.drain();
    before.end();
    await submit(traders.bobSellsYes({ price: '0.4', size: '1' }));
    await submit(traders.aliceBuysNo({ price: '0.1', size: '1' }));
    await submit(traders.bobSellsYes({ price: '0.4', size: '1' }));
    return fixture.connect();
  }

  it('repeats every retained step from that one on, deltas and all', async () => {
    client = await missThreeSteps({ book: 'delta' });
    client.send(subscribe({ book: 'delta', fromSeq: 3 }));
    const received = (await client.drain()).slice(1);
    expect(received.map(({ type, seq, prevSeq }) => [type, seq, prevSeq])).toEqual([
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
    const received = (await client.drain()).slice(1);
    expect(types(received)).toEqual(['trade', 'trade', 'orderbook', 'orderbook']);
    expect(received[2]).toMatchObject({
      seq: 5,
      conflated: true,
      data: { bids: [{ price: 400_000, size: 8_000_000 }] },
    });
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
      const received = await client.drain();
      expect(types(received)).toEqual(['subscribe', 'resync', 'orderbook', 'orderbook']);
      expect(received[1]).toMatchObject({ marketId: TEST_MARKET, seq: 5, data: { reason: 'not_retained' } });
    },
  );
});

function claimOf(userAddress: Address): ClaimChanged {
  const hash = `0x${'77'.repeat(32)}` as const;
  return {
    type: 'claim-changed',
    timeMs: fixture.clock.nowMs,
    claimId: 'c1',
    txHash: hash,
    userAddress,
    marketAddress: TRADERS.dave,
    marketId: TEST_MARKET,
    payout: '7000000',
    winningOutcome: 0,
    submittedAt: fixture.clock.nowSeconds,
    status: 'pending',
  };
}

describe('channels', () => {
  const alice = TRADERS.alice.toUpperCase().replace('0X', '0x');

  it('sends a wallet its own orders, fills, trades, claims and balance, and nothing of other wallets', async () => {
    client.send({ type: 'subscribe', channel: 'user', data: { address: alice }, id: 1 });
    expect(await client.next('subscribe')).toMatchObject({ channel: 'user', id: 1, data: { status: 'subscribed' } });
    expect(await client.next('balance')).toMatchObject({ data: { balance: '5000000', available: '4999997' } });
    await submit(traders.aliceBuysYes({ price: '0.4', size: '10' }));
    await submit(traders.carolBuysYes({ price: '0.3', size: '10' }));
    await submit(traders.bobSellsYes({ price: '0.3', size: '12' }));
    const [first, second] = fixture.host.reads.unsettledTrades({ marketId: TEST_MARKET });
    await submit({ type: 'move-trade', marketId: TEST_MARKET, tradeId: first!.tradeId, stage: 'submitted' });
    await submit({ type: 'move-trade', marketId: TEST_MARKET, tradeId: second!.tradeId, stage: 'submitted' });
    await submit({
      type: 'fail-trade',
      marketId: TEST_MARKET,
      tradeId: first!.tradeId,
      faultParty: 'seller',
      reason: 'no shares',
    });
    await fixture.host.note(claimOf(TRADERS.alice));
    await fixture.host.note(claimOf(TRADERS.bob));
    const received = await client.drain();
    expect(received.map(({ type, seq }) => [type, seq])).toEqual([
      ['order', 2],
      ['fill', 4],
      ['order', 4],
      ['trade_status', 5],
      ['trade_status', 7],
      ['order', 7],
      ['claim', undefined],
    ]);
    expect(received.at(-1)?.data).toMatchObject({ payout: 7_000_000, winningOutcome: 0, status: 'pending' });
    expect(received.every(({ channel }) => channel === 'user')).toBe(true);
    expect(received[1]?.data).toMatchObject({
      role: 'maker',
      side: 0,
      size: 10_000_000,
      cost: 4_000_000,
      id: expect.any(Number),
      tradeId: first!.tradeId,
    });
    expect(received[2]?.data).toMatchObject({ status: 'filled', remainingSize: 0 });
    expect(received[5]?.data).toMatchObject({ status: 'open', remainingSize: 10_000_000 });
  });

  it('says what the taker of a trade was charged and what the maker got, and 0 where nothing was', async () => {
    const marketId = `0x${'fe'.repeat(32)}` as const;
    await submit(listMarket(fixture.clock.nowMs, { marketId, feeRateBps: 200, makerShareBps: 2_500 }));
    client.send({ type: 'subscribe', marketId });
    client.send({ type: 'subscribe', channel: 'user', data: { address: alice } });
    await client.drain();
    for (const at of [marketId, TEST_MARKET]) {
      await submit(traders.aliceBuysYes({ marketId: at, price: '0.4', size: '10' }));
      await submit(traders.bobSellsYes({ marketId: at, price: '0.4', size: '10' }));
    }
    const received = await client.drain();
    const fees = received.filter(({ type }) => type === 'trade' || type === 'fill');
    const charged = { fee: 48_000, makerRebate: 12_000, feePayer: toChecksumAddress(TRADERS.bob) };
    expect(
      fees.map(({ type, data: { fee, makerRebate, feePayer } }) => [type, { fee, makerRebate, feePayer }]),
    ).toEqual(
      expect.arrayContaining([
        ['trade', charged],
        ['fill', charged],
        ['fill', { fee: 0 }],
      ]),
    );
    expect(fees).toHaveLength(3);
  });

  it('sends both halves to a wallet that trades with itself', async () => {
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

  it('sends the state of the quick market of an asset, at once and when it changes, until unsubscribed', async () => {
    const standing = { active: false, asset: 'BTC', nextMarket: null, quickMarket: null };
    client.send({ type: 'subscribe', channel: 'quick_market', data: { asset: 'btc' } });
    expect(await client.next('quick_market')).toMatchObject({ channel: 'quick_market', data: standing });
    fixture.stream.publishQuickMarket({ asset: 'ETH' });
    fixture.stream.publishQuickMarket({ asset: 'BTC', chainId: 31_338 });
    fixture.stream.publishQuickMarket({ asset: 'BTC' });
    expect((await client.drain()).map(({ data }) => data)).toEqual([standing]);
    const second = { asset: 'BTC', chain_id: 31_338 };
    client.send({ type: 'subscribe', channel: 'quick_market', data: second });
    expect((await client.next('quick_market')).data).toEqual({ ...standing, chain_id: 31_338 });
    fixture.stream.publishQuickMarket({ asset: 'BTC', chainId: 31_338 });
    expect((await client.drain()).map(({ data }) => data)).toEqual([{ ...standing, chain_id: 31_338 }]);
    client.send({ type: 'unsubscribe', channel: 'quick_market', data: second });
    client.send({ type: 'unsubscribe', channel: 'quick_market', data: { asset: 'BTC' } });
    client.send({ type: 'unsubscribe', channel: 'user', data: { address: alice } });
    await client.drain();
    fixture.stream.publishQuickMarket({ asset: 'BTC' });
    fixture.stream.publishQuickMarket({ asset: 'BTC', chainId: 31_338 });
    expect(await client.drain()).toEqual([]);
  });
});

describe('a service of several nodes', () => {
  it('says in each message of a step how far the journal is, so that another node can be asked', async () => {
    const several = await openStreamFixture({ tellsPosition: true });
    const own = createOrderBuilders(several.clock);
    const reader = await several.connect();
    const user = { type: 'subscribe', channel: 'user', data: { address: TRADERS.alice } };
    reader.send(subscribe());
    reader.send(user);
    await reader.drain();
    await several.host.submit(own.aliceBuysYes({ price: '0.4', size: '10' }));
    const messages = (await reader.drain()).filter(({ type }) => type === 'orderbook' || type === 'order');
    expect(types(messages).sort()).toEqual(['order', 'orderbook']);
    for (const message of messages) expect(message).toMatchObject({ position: `m0=${several.log.lastSeq}` });
    reader.received.forEach(expectSchema);
    await several.close();
  });

  it('says with each subscription from where on messages follow, so that what is read next lacks nothing before', async () => {
    const several = await openStreamFixture({ tellsPosition: true });
    const reader = await several.connect();
    await several.host.submit(createOrderBuilders(several.clock).aliceBuysYes({ price: '0.4', size: '10' }));
    const position = `m0=${several.log.lastSeq}`;
    const data = { address: TRADERS.alice };
    for (const request of [subscribe(), { type: 'subscribe', channel: 'user', data }]) {
      reader.send(request);
      expect(await reader.next('subscribe')).toMatchObject({ position });
    }
    reader.received.forEach(expectSchema);
    await several.close();
  });

  it('is not spoken of by a service of one node', async () => {
    client.send(subscribe());
    await client.drain();
    await submit(traders.aliceBuysYes({ price: '0.4', size: '10' }));
    for (const message of await client.drain()) expect(message).not.toHaveProperty('position');
  });
});
