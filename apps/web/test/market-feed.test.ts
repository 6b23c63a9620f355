// Answers that overtake each other: what a market shows is never older than what it has shown.
import type { Market, PublicClient, ResolutionStatus, WatchMarketEvent } from '@presage/sdk';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { PLAIN_NAMES } from '../src/lib/outcomes.ts';
import { Connection } from '../src/state/connection.ts';
import { MarketFeed } from '../src/state/market-feed.ts';
import { PageClock } from '../src/state/service-clock.ts';

type Status = Market['status'];

beforeEach(() => void vi.stubGlobal('requestAnimationFrame', (paint: () => void) => setTimeout(paint)));
afterEach(() => vi.unstubAllGlobals());

/** A feed whose reads are answered by hand, and whose stream is written by hand. */
function openFeed() {
  const answers: ((status: Status) => void)[] = [];
  const waiting: ((event: WatchMarketEvent) => void)[] = [];
  const reader = {
    getMarket: () => new Promise((resolve) => answers.push((status) => resolve({ status }))),
    getResolution: async () => ({ status: 'open' }),
    listTrades: async () => ({ trades: [] }),
    async *watchMarket() {
      for (;;) yield await new Promise<WatchMarketEvent>((resolve) => waiting.push(resolve));
    },
  } as unknown as PublicClient;
  const feed = new MarketFeed({ reader, connection: new Connection(new PageClock()) }, '0x', PLAIN_NAMES);
  const stop = feed.start();
  const settle = () => new Promise((resolve) => setTimeout(resolve, 5));
  return {
    feed,
    stop,
    answer: async (index: number, status: Status) => {
      answers[index]?.(status);
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
});
