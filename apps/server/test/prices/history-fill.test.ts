// The price history is filled from the primary's own: at a start, after time travel, and again after a failure, but only where there is a gap.

import { ManualClock } from '@presage/testkit';
import { describe, expect, it } from 'vitest';
import { HistoryFill } from '../../src/prices/history-fill.ts';
import type { Price } from '../../src/prices/ports.ts';
import { PriceHistory } from '../../src/prices/price-history.ts';

const priceAt = (second: number): Price => {
  return { asset: 'BTC', price: second, timeMs: second * 1_000, source: 'pyth', simulated: true };
};

function openFill(history: PriceHistory) {
  const [wall, service] = [new ManualClock(), new ManualClock()];
  const asked: number[] = [];
  const state = { isDown: false, troubles: 0 };
  const fill = new HistoryFill({
    nowMs: () => service.nowMs,
    wallMs: () => wall.nowMs,
    ask: async (second) => {
      if (state.isDown) throw new Error('unreachable');
      asked.push(second);
      return [priceAt(second)];
    },
    isMissing: (from, to) => !history.hasBetween(from, to),
    keep: async (prices) => history.insert(prices),
    onTrouble: () => state.troubles++,
  });
  /** Ticks as the service does, until everything under way is done. */
  const settle = async () => {
    fill.tick();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { wall, service, asked, state, fill, settle };
}

describe('the price history', () => {
  it('is filled once after the start, and not requested while it is complete', async () => {
    const history = new PriceHistory([]);
    const { service, asked, settle } = openFill(history);
    await settle();
    expect(asked.length).toBe(59);
    const times = history.within(service.nowMs).map(({ timeMs }) => timeMs);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(times.length).toBe(59);
    await settle();
    expect(asked.length).toBe(59);
  });

  it('is filled again when the clock was moved, as far as it was moved', async () => {
    const history = new PriceHistory([]);
    const { service, asked, settle } = openFill(history);
    await settle();
    asked.length = 0;
    service.advanceMs(600_000);
    await settle();
    expect(asked.length).toBeGreaterThanOrEqual(29);
    expect(asked.length).toBeLessThanOrEqual(31);
  });

  it('is filled again after an outage, only where prices are missing', async () => {
    const history = new PriceHistory([]);
    const { service, wall, asked, fill, settle } = openFill(history);
    await settle();
    asked.length = 0;
    // Both clocks pass: nothing was moved.
    service.advanceMs(100_000);
    wall.advanceMs(100_000);
    await settle();
    expect(asked).toEqual([]);
    fill.refill();
    await settle();
    expect(asked.length).toBe(5);
  });

  it('is requested again some seconds after a failure', async () => {
    const { wall, service, asked, state, settle } = openFill(new PriceHistory([]));
    state.isDown = true;
    await settle();
    await settle();
    expect(state.troubles).toBe(1);
    state.isDown = false;
    for (const clock of [wall, service]) clock.advanceMs(5_000);
    await settle();
    expect(asked.length).toBe(59);
  });
});
