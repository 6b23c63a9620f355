// Subscribing at a random moment beside trades: whatever happens after the confirmation is delivered, or told as a gap.
import { setTimeout as sleep } from 'node:timers/promises';
import { createPublicClient, type Watch } from '@presage/sdk';
import { CutProxy, isLongRun, SeededRandom, seedFromEnv, TEST_MARKET, TRADERS, waitFor } from '@presage/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RandomFlow } from './random-flow.ts';
import type { StreamReply } from './stream-client.ts';
import { openStreamFixture, type StreamFixture } from './stream-fixture.ts';

const seed = seedFromEnv(35);
const SUBSCRIPTIONS = isLongRun ? 200 : 12;
const ALICE = TRADERS.alice;

interface MadeTrade {
  readonly tradeId: string;
  readonly seq: number;
  readonly isOfAlice: boolean;
}

let fixture: StreamFixture;
let proxy: CutProxy;
let random: SeededRandom;
/** Every trade, in the order in which it became durable. */
let made: MadeTrade[];

beforeEach(async () => {
  fixture = await openStreamFixture();
  proxy = await CutProxy.open(fixture.url);
  random = new SeededRandom(seed);
  made = [];
  fixture.log.subscribe(({ records }) => {
    for (const record of records) {
      if (record.type !== 'trade-matched') continue;
      const { tradeId, step, maker, taker } = record;
      made.push({ tradeId, seq: step, isOfAlice: maker === ALICE || taker === ALICE });
    }
  });
});
afterEach(async () => {
  await proxy.close();
  await fixture.close();
});

/** Trades in the background, slowly enough that a reconnection finds its steps still kept. */
function runFlow() {
  const flow = new RandomFlow(fixture, seed);
  let isRunning = true;
  const done = (async () => {
    while (isRunning) {
      await flow.burst(random.int(1, 8));
      await sleep(2);
    }
  })();
  const stop = async () => {
    isRunning = false;
    await done;
  };
  const madeMore = (count: number) => {
    const goal = made.length + count;
    return waitFor(`${count} more trades`, async () => made.length >= goal);
  };
  return { stop, madeMore };
}

/** Heartbeats and answers to pings come at any time. */
function isOfSubscription({ type }: StreamReply): boolean {
  return type !== 'heartbeat' && type !== 'pong';
}

function collect<E extends { readonly type: string }>(events: Watch<E>) {
  const seen: E[] = [];
  const done = (async () => {
    for await (const event of events) seen.push(event);
  })();
  return { seen, done };
}

describe('the confirmation of a subscription', () => {
  it('has the seq after which a market and a wallet miss no message', async () => {
    const flow = runFlow();
    for (let round = 0; round < SUBSCRIPTIONS; round++) {
      await flow.madeMore(random.int(1, 5));
      const client = await fixture.connect();
      client.send({ type: 'subscribe', marketId: TEST_MARKET, data: { book: 'delta' } });
      client.send({ type: 'subscribe', channel: 'user', data: { address: ALICE } });
      await flow.madeMore(random.int(5, 30));
      const received = (await client.drain()).filter(isOfSubscription);
      expectConfirmedFirst(received);
      expectEveryStep(received.filter(({ channel }) => channel === undefined));
      expectEveryMessage(received.filter(({ channel }) => channel === 'user'));
      client.end();
    }
    await flow.stop();
  });

  it('comes before the state of a quick market, with the seq of that state', async () => {
    const client = await fixture.connect();
    client.send({ type: 'subscribe', channel: 'quick_market', data: { asset: 'BTC' } });
    fixture.stream.publishQuickMarket({ asset: 'BTC' });
    await client.drain();
    const late = await fixture.connect();
    late.send({ type: 'subscribe', channel: 'quick_market', data: { asset: 'BTC' } });
    await late.drain();
    fixture.stream.publishQuickMarket({ asset: 'BTC' });
    await late.drain();
    const [confirmed, standing, changed] = late.received.filter(isOfSubscription);
    const { seq } = confirmed!.data;
    expect(confirmed).toMatchObject({ type: 'subscribe', data: { status: 'subscribed', seq: expect.any(Number) } });
    expect(standing).toMatchObject({ type: 'quick_market', channelSeq: seq });
    expect(changed).toMatchObject({ type: 'quick_market', channelSeq: Number(seq) + 1 });
  });

  function expectConfirmedFirst(received: readonly StreamReply[]): void {
    const [market, wallet] = received.filter(({ type }) => type === 'subscribe');
    expect(received[0], `seed ${seed}`).toBe(market);
    expect(market).toMatchObject({ data: { status: 'subscribed', seq: market!.seq } });
    expect(
      received.find(({ channel }) => channel === 'user'),
      `seed ${seed}`,
    ).toBe(wallet);
  }

  function expectEveryStep([confirmed, ...rest]: readonly StreamReply[]): void {
    const first = confirmed!.seq!;
    const steps = [...new Set(rest.flatMap(({ seq }) => seq ?? []))];
    expect(steps, `seed ${seed}`).toEqual(steps.map((_step, index) => first + index));
    const sent = rest.filter(({ type }) => type === 'trade').map(({ data }) => data.tradeId);
    const last = steps.at(-1) ?? first;
    expect(sent).toEqual(made.filter(({ seq }) => seq > first && seq <= last).map(({ tradeId }) => tradeId));
  }

  function expectEveryMessage([confirmed, ...rest]: readonly StreamReply[]): void {
    const first = Number(confirmed!.data.seq);
    expect(
      rest.map(({ channelSeq }) => channelSeq),
      `seed ${seed}`,
    ).toEqual(rest.map((_message, index) => first + index + 1));
  }
});

describe('a watch that is ready', () => {
  it('delivers every trade after that, through connections that are cut at any moment', async () => {
    const flow = runFlow();
    const reader = createPublicClient({ url: proxy.url });
    let gaps = 0;
    for (let round = 0; round < SUBSCRIPTIONS; round++) {
      const controller = new AbortController();
      const trades = reader.watchTrades(TEST_MARKET, { signal: controller.signal });
      await trades.ready;
      const from = made.length;
      const { seen, done } = collect(trades);
      if (random.chance(0.5)) {
        await flow.madeMore(random.int(0, 3));
        proxy.cut();
      }
      await flow.madeMore(random.int(5, 15));
      const last = made.at(-1)!.tradeId;
      const delivered = () => seen.flatMap((event) => (event.type === 'trade' ? event.data.tradeId : []));
      const isTold = () => seen.some(({ type }) => type === 'gap');
      await waitFor('the last trade or a gap has come', async () => delivered().includes(last) || isTold());
      const expected = made.slice(from).map(({ tradeId }) => tradeId);
      const missed = expected.slice(0, expected.indexOf(last) + 1).filter((id) => !delivered().includes(id));
      if (isTold()) gaps += 1;
      else expect(missed, `seed ${seed}, round ${round}`).toEqual([]);
      expect(new Set(delivered()).size, `seed ${seed}, round ${round}`).toBe(delivered().length);
      controller.abort();
      await done;
    }
    await flow.stop();
    expect(gaps, 'most rounds resume without a gap').toBeLessThan(SUBSCRIPTIONS / 2);
  });

  it('delivers every fill of a wallet after that, or a gap after a cut', async () => {
    const flow = runFlow();
    const reader = createPublicClient({ url: proxy.url });
    for (let round = 0; round < SUBSCRIPTIONS; round++) {
      const controller = new AbortController();
      const wallet = reader.watchUser(ALICE, { signal: controller.signal });
      await wallet.ready;
      const from = made.length;
      const { seen, done } = collect(wallet);
      const isCut = random.chance(0.3);
      if (isCut) proxy.cut();
      await flow.madeMore(random.int(10, 20));
      const expected = made.slice(from).filter(({ isOfAlice }) => isOfAlice);
      const isMissed = ({ tradeId }: MadeTrade) =>
        !seen.some((event) => event.type === 'fill' && event.data.tradeId === tradeId);
      const isTold = () => seen.some(({ type }) => type === 'gap');
      await waitFor('every fill or the gap has come', async () => (isCut ? isTold() : !expected.some(isMissed)));
      expect(isTold(), `seed ${seed}, round ${round}`).toBe(isCut);
      controller.abort();
      await done;
    }
    await flow.stop();
  });

  it('rejects for a market that does not exist, and when it is stopped before', async () => {
    const reader = createPublicClient({ url: fixture.url });
    const unknown = reader.watchTrades(`0x${'12'.repeat(32)}`);
    await expect(unknown.ready).rejects.toMatchObject({ code: 'market_not_found' });
    await expect(unknown.next()).rejects.toMatchObject({ code: 'market_not_found' });
    const controller = new AbortController();
    const stopped = reader.watchTrades(TEST_MARKET, { signal: controller.signal });
    const { ready } = stopped;
    controller.abort(new Error('changed my mind'));
    await expect(ready).rejects.toThrow('changed my mind');
    await expect(stopped.next()).resolves.toEqual({ done: true, value: undefined });
  });
});
