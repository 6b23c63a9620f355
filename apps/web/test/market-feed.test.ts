// Answers that overtake each other: what a market shows is never older than what it has shown.
import {
  type Market,
  PresageApiError,
  PresageConnectionError,
  type PublicClient,
  type ResolutionStatus,
  type Trade,
  type WatchMarketEvent,
} from '@presage/sdk';
import { describe, expect, it, vi } from 'vitest';
import { PLAIN_NAMES } from '../src/lib/outcomes.ts';
import { Connection } from '../src/state/connection.ts';
import { MarketFeed } from '../src/state/market-feed.ts';
import { PageClock } from '../src/state/service-clock.ts';
import { fakeFrames } from './fake-frames.ts';

type Status = Market['status'];

fakeFrames();

/** A feed whose reads are answered by hand, and whose stream is written by hand. */
function openFeed(trades: readonly Trade[] = []) {
  const answers: { give: (status: Status) => void; fail: (error: Error) => void }[] = [];
  /** What reads that begin from now on find. */
  const listed = { trades };
  const waiting: ((event: WatchMarketEvent) => void)[] = [];
  const reader = {
    getMarket: () => new Promise((resolve, fail) => answers.push({ give: (status) => resolve({ status }), fail })),
    getResolution: async () => ({ status: 'open' }),
    listTrades: async () => ({ ...listed }),
    async *watchMarket() {
      for (;;) yield await new Promise<WatchMarketEvent>((resolve) => waiting.push(resolve));
    },
  } as unknown as PublicClient;
  const feed = new MarketFeed({ reader, connection: new Connection(new PageClock()) }, '0x', PLAIN_NAMES);
  const stop = feed.start();
  const settle = () => vi.advanceTimersByTimeAsync(5);
  return {
    feed,
    stop,
    answers,
    listed,
    answer: async (index: number, status: Status) => {
      answers[index]?.give(status);
      await settle();
    },
    fail: async (index: number, error: Error) => {
      answers[index]?.fail(error);
      await settle();
    },
    stream: async (event: object) => {
      await settle();
      // The event has only what the feed looks at.
      waiting.shift()?.(event as WatchMarketEvent);
      await settle();
    },
  };
}

describe('a market feed', () => {
  it('passes over an answer that a later one has overtaken', async () => {
    const { feed, stop, answer, stream } = openFeed();
    await stream({ type: 'market' });
    await answer(1, 'resolved');
    await answer(0, 'open');
    expect(feed.facts.get().market?.status).toBe('resolved');
    stop();
  });

  it('passes over an answer that was under way when the stream told of a result', async () => {
    const { feed, stop, answer, stream } = openFeed();
    const data = { status: 'proposed' } as ResolutionStatus;
    await stream({ type: 'resolution', data });
    await stream({ type: 'market' });
    await answer(0, 'expired');
    expect(feed.facts.get().resolution?.status).toBe('proposed');
    await answer(1, 'proposed');
    expect(feed.facts.get().market?.status).toBe('proposed');
    stop();
  });

  it('keeps trades and stages that the stream told of while older ones were being read', async () => {
    const trade = (id: number, stage: string) => ({ id, stage, status: stage }) as unknown as Trade;
    const { feed, stop, answer, stream, listed } = openFeed([
      trade(3, 'mined'),
      trade(2, 'matched'),
      trade(1, 'mined'),
    ]);
    const told = () => feed.trades.get()?.map(({ id, stage }) => `${id} ${stage}`);
    await stream({ type: 'trade_status', data: trade(1, 'failed') });
    await stream({ type: 'trade_status', data: trade(3, 'confirmed') });
    await stream({ type: 'trade', data: trade(4, 'matched') });
    await answer(0, 'open');
    expect(told()).toEqual(['4 matched', '3 confirmed', '2 matched']);
    // A later read knows better.
    listed.trades = [trade(4, 'confirmed'), trade(3, 'confirmed')];
    await stream({ type: 'market' });
    await answer(1, 'open');
    expect(told()).toEqual(['4 confirmed', '3 confirmed']);
    stop();
  });
});

describe('a market feed whose read failed', () => {
  const lost = new PresageConnectionError('no answer', 'cut');
  const unknown = new PresageApiError(404, { error: 'no such market', code: 'market_not_found' });

  it.each([
    ['reads again by itself where the service did not answer', lost, 2],
    ['leaves it at that where the service refused', unknown, 1],
  ])('%s', async (_what, error, reads) => {
    const { feed, stop, answers, answer, fail } = openFeed();
    await fail(0, error);
    expect(feed.facts.get().failure).toBeDefined();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(answers).toHaveLength(reads);
    await answer(1, 'open');
    expect(feed.facts.get().failure === undefined).toBe(reads === 2);
    stop();
  });
});
