// A quick market while the service does not answer: asked once, not once a second, and never shown an older window again.
import type { PublicClient } from '@presage/sdk';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { QuickFeed } from '../src/state/quick-feed.ts';
import { PageClock } from '../src/state/service-clock.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

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
});
