// The event channel: what changes in any outcome of an event, numbered without holes, to those who asked for it.
import { toChecksumAddress } from '@presage/protocol';
import { createOrderBuilders, eventFacts, TEST_MARKET, TRADERS } from '@presage/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { expectSchema } from './published-schema.ts';
import type { StreamClient, StreamReply } from './stream-client.ts';
import { openStreamFixture, type StreamFixture } from './stream-fixture.ts';

const MARKETS = eventFacts(['Ada', 'Bea', 'Cleo']);
const [FIRST, SECOND, THIRD] = MARKETS.map(({ marketId }) => marketId) as [`0x${string}`, `0x${string}`, `0x${string}`];
const EVENT_ID = MARKETS[0]!.event!.id;

let fixture: StreamFixture;
let traders: ReturnType<typeof createOrderBuilders>;
let client: StreamClient;

beforeEach(async () => {
  fixture = await openStreamFixture();
  traders = createOrderBuilders(fixture.clock);
  for (const market of MARKETS.slice(0, 2)) await fixture.commands.listMarket(market);
  client = await fixture.connect();
});
afterEach(async () => {
  client.received.forEach(expectSchema);
  await fixture.close();
});

const subscribe = { type: 'subscribe', channel: 'event', data: { eventId: EVENT_ID } };
const submit = (command: Parameters<StreamFixture['host']['submit']>[0]) => fixture.host.submit(command);
const told = (messages: readonly StreamReply[]) => messages.map(({ type, marketId }) => [type, marketId]);

describe('subscribing to an event', () => {
  it('is confirmed with its seq, then shows the outcomes listed so far', async () => {
    await submit(traders.aliceBuysYes({ marketId: FIRST, price: '0.4', size: '10' }));
    await submit(traders.bobSellsYes({ marketId: FIRST, price: '0.46', size: '10' }));
    client.send({ ...subscribe, id: 3 });
    const [confirmed, event] = await client.drain();
    expect(confirmed).toMatchObject({
      type: 'subscribe',
      channel: 'event',
      id: 3,
      data: { status: 'subscribed', seq: 0, eventId: EVENT_ID },
    });
    expect(event).toMatchObject({
      type: 'event',
      channelSeq: 0,
      data: {
        eventId: EVENT_ID,
        status: 'open',
        outcomes: [
          { index: 0, name: 'Ada', marketId: FIRST, bestBidPrice: 400_000, bestAskPrice: 460_000, chance: 430_000 },
          { index: 1, name: 'Bea', marketId: SECOND, bestBidPrice: 0, bestAskPrice: 0, chance: null },
        ],
      },
    });
  });

  it('sends trades and other best prices of every outcome, numbered in one row', async () => {
    client.send(subscribe);
    await client.drain();
    await submit(traders.aliceBuysYes({ marketId: FIRST, price: '0.4', size: '10' }));
    await submit(traders.aliceBuysYes({ marketId: FIRST, price: '0.3', size: '10' }));
    await submit(traders.aliceBuysYes({ marketId: SECOND, price: '0.2', size: '10' }));
    await submit(traders.bobSellsYes({ marketId: SECOND, price: '0.2', size: '10' }));
    await submit(traders.aliceBuysYes({ marketId: TEST_MARKET, price: '0.2', size: '10' }));
    const messages = await client.drain();
    // The second order stands behind the first, so that it changes no best price.
    expect(told(messages)).toEqual([
      ['outcome', FIRST],
      ['outcome', SECOND],
      ['trade', SECOND],
      ['outcome', SECOND],
    ]);
    expect(messages.map(({ channelSeq }) => channelSeq)).toEqual([1, 2, 3, 4]);
    expect(messages[2]?.data).toMatchObject({ price: 200_000, taker: toChecksumAddress(TRADERS.bob) });
    expect(messages[3]?.data).toMatchObject({ eventId: EVENT_ID, index: 1, bestBidPrice: 0 });
  });

  it('says how far the journal is where a service has several nodes', async () => {
    const several = await openStreamFixture({ tellsPosition: true });
    for (const market of MARKETS.slice(0, 2)) await several.commands.listMarket(market);
    const reader = await several.connect();
    reader.send(subscribe);
    await reader.drain();
    await several.host.submit(traders.aliceBuysYes({ marketId: FIRST, price: '0.4', size: '10' }));
    await several.host.submit(traders.bobSellsYes({ marketId: FIRST, price: '0.4', size: '10' }));
    const messages = await reader.drain();
    const { lastSeq } = several.log;
    expect(messages.map(({ type, position }) => [type, position])).toEqual([
      ['outcome', expect.stringMatching(/^m0=\d+$/)],
      ['trade', `m0=${lastSeq}`],
      ['outcome', `m0=${lastSeq}`],
    ]);
    reader.received.forEach(expectSchema);
    await several.close();
  });

  it('tells what NO is sold for, which the book of YES does not say', async () => {
    await submit(traders.aliceBuysYes({ marketId: FIRST, price: '0.4', size: '10' }));
    client.send(subscribe);
    const [, event] = await client.drain();
    expect(event?.data).toMatchObject({ outcomes: [{ index: 0, bestNoAskPrice: 0 }, { index: 1 }] });
    await submit(traders.bobSellsNo({ marketId: FIRST, price: '0.7', size: '10' }));
    const [quote] = await client.drain();
    expect(quote?.data).toMatchObject({ index: 0, bestBidPrice: 400_000, bestAskPrice: 0, bestNoAskPrice: 700_000 });
  });

  it('tells of outcomes that are listed later, and of the result', async () => {
    client.send(subscribe);
    await client.drain();
    await fixture.commands.listMarket(MARKETS[2]!);
    await submit(traders.aliceBuysYes({ marketId: THIRD, price: '0.4', size: '10' }));
    const listed = await client.drain();
    expect(told(listed)).toEqual([
      ['market', THIRD],
      ['outcome', THIRD],
      ['outcome', THIRD],
    ]);
    expect(listed[0]?.data).toMatchObject({ status: 'open', event: { id: EVENT_ID, index: 2, name: 'Cleo' } });
    const resolution = { status: 'resolved', round: 1, history: [], winningOutcome: 0 } as const;
    await submit({ type: 'change-resolution', marketId: THIRD, resolution });
    const [decided] = (await client.drain()).filter(({ type }) => type === 'market');
    expect(decided?.data).toMatchObject({ resolved: true, winningOutcome: 0 });
  });

  it('counts on for a second reader, and ends when it is asked to', async () => {
    client.send(subscribe);
    await client.drain();
    await submit(traders.aliceBuysYes({ marketId: FIRST, price: '0.4', size: '10' }));
    await client.drain();
    const other = await fixture.connect();
    other.send(subscribe);
    const [confirmed, event] = await other.drain();
    expect([confirmed?.data.seq, event?.channelSeq]).toEqual([1, 1]);
    client.send({ ...subscribe, type: 'unsubscribe' });
    await client.drain();
    await submit(traders.aliceBuysYes({ marketId: FIRST, price: '0.5', size: '10' }));
    expect(told(await other.drain())).toEqual([['outcome', FIRST]]);
    expect(await client.drain()).toEqual([]);
  });

  it('refuses an id of no event', async () => {
    client.send({ ...subscribe, id: 'x', data: { eventId: FIRST } });
    expect(await client.next('error')).toMatchObject({ code: 'event_not_found', id: 'x' });
  });
});
