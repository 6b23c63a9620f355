// A quick market while the service does not answer: asked once, not once a second, and never shown an older window again.
import { PresageConnectionError, type PublicClient } from '@presage/sdk';
import { describe, expect, it, vi } from 'vitest';
import { QuickFeed } from '../src/state/quick-feed.ts';
import { PageClock } from '../src/state/service-clock.ts';
import { fakeFrames } from './fake-frames.ts';

fakeFrames();

describe('a quick feed', () => {
  it('asks again only once it was answered', async () => {
    const answers: ((answer: object) => void)[] = [];
    const reader = {
      getQuickMarket: () => new Promise((resolve) => answers.push(resolve)),
      listQuickMarkets: async () => ({ markets: [] }),
      getPriceHistory: () => new Promise(() => undefined),
    } as unknown as PublicClient;
    const feed = new QuickFeed({ reader, clock: new PageClock() }, 'BTC');
    const stop = feed.start();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(answers).toHaveLength(1);
    answers[0]?.({ quickMarket: null });
    await vi.advanceTimersByTimeAsync(1_000);
    expect(feed.state.get().window).toBeNull();
    expect(answers).toHaveLength(2);
    stop();
  });

  it('follows the price, though its history could not be read at first, and after a gap', async () => {
    const lost = new PresageConnectionError('no answer', 'cut');
    const histories: (Error | number)[] = [lost, 100, lost, lost, 200];
    const ticks: ((event: object) => void)[] = [];
    const reader = {
      getQuickMarket: async () => ({ quickMarket: null }),
      listQuickMarkets: async () => ({ markets: [] }),
      getPriceHistory: async () => {
        const next = histories.shift();
        if (typeof next !== 'number') throw next;
        return { prices: [{ timestamp: next, priceUSD: next }] };
      },
      async *watchPrice() {
        for (;;) yield await new Promise<object>((resolve) => ticks.push(resolve));
      },
    } as unknown as PublicClient;
    const feed = new QuickFeed({ reader, clock: new PageClock() }, 'BTC');
    const stop = feed.start();
    const tell = async (event: object) => {
      ticks.shift()?.(event);
      await vi.advanceTimersByTimeAsync(60_000);
      return feed.prices.get().points.map(({ value }) => value);
    };
    await vi.advanceTimersByTimeAsync(60_000);
    expect(await tell({ type: 'price', data: { timestamp: 101_000, priceUSD: 101 } })).toEqual([100, 101]);
    expect(await tell({ type: 'gap' })).toEqual([200]);
    expect(await tell({ type: 'price', data: { timestamp: 201_000, priceUSD: 201 } })).toEqual([200, 201]);
    stop();
  });
});
