// The figures of the status page: rates and latencies.
import type { JournalRecord } from '@presage/protocol';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Metrics } from '../../src/metrics/metrics.ts';

const ACCEPTED = { type: 'order-accepted' } as JournalRecord;

let metrics: Metrics;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date', 'performance'] });
  metrics = new Metrics();
});
afterEach(() => {
  metrics.close();
  vi.useRealTimers();
});

function accept(orders: number): void {
  for (let order = 0; order < orders; order++) metrics.follow(ACCEPTED);
}

describe('the rate of orders', () => {
  it('is the one of the last ten seconds, also for thousands of orders a second', () => {
    for (let tenth = 0; tenth < 300; tenth++) {
      accept(300);
      vi.advanceTimersByTime(100);
    }
    expect(metrics.rates().ordersPerSecond).toBeGreaterThan(2_900);
    expect(metrics.rates().ordersPerSecond).toBeLessThanOrEqual(3_000);
  });

  it('counts an order at once and forgets it after ten seconds', () => {
    expect(metrics.rates()).toEqual({ ordersPerSecond: 0 });
    accept(1);
    expect(metrics.rates()).toEqual({ ordersPerSecond: 0.1 });
    vi.advanceTimersByTime(10_100);
    expect(metrics.rates()).toEqual({ ordersPerSecond: 0 });
  });
});

describe('the lag of the event loop', () => {
  it('is a number before anything was measured', () => {
    expect(metrics.latency().eventLoopLagMs).toBe(0);
  });
});
