// The page's clock: the service's, though messages of a stream tell when something happened rather than what time it is.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Connection } from '../src/state/connection.ts';
import { PageClock } from '../src/state/service-clock.ts';

const HOUR_MS = 3_600_000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('the clock of the page', () => {
  it('stays when a book of an hour ago arrives, and follows the service when its clock moves', async () => {
    const clock = new PageClock();
    const connection = new Connection(clock);
    // This computer is ten minutes ahead.
    let nowMs = Date.now() - HOUR_MS / 6;
    const stop = connection.start({ getTime: async () => ({ now: Math.floor(nowMs / 1_000), nowMs }) });
    await vi.advanceTimersByTimeAsync(1);
    const { onMessage } = connection.callbacksFor('market');
    onMessage?.(nowMs - HOUR_MS);
    expect(Math.abs(clock.nowMs() - nowMs)).toBeLessThan(10);
    onMessage?.(nowMs + 24 * HOUR_MS);
    expect(Math.abs(clock.nowMs() - nowMs - 24 * HOUR_MS)).toBeLessThan(10);
    nowMs -= HOUR_MS;
    await vi.advanceTimersByTimeAsync(4_000);
    expect(Math.abs(clock.nowMs() - nowMs)).toBeLessThan(10);
    stop();
  });
});

describe('the connection of the page', () => {
  const open = async (answer: () => Promise<{ now: number; nowMs: number }>) => {
    await vi.advanceTimersByTimeAsync(1);
    const connection = new Connection(new PageClock());
    return { connection, stop: connection.start({ getTime: answer }) };
  };

  it('is not taken for lost in a hidden tab, whose timers the browser calls once a minute', async () => {
    const { setInterval } = globalThis;
    vi.stubGlobal('setInterval', (work: () => void, ms: number) => setInterval(work, Math.max(ms, 60_000)));
    const { connection, stop } = await open(async () => ({ now: 0, nowMs: Date.now() }));
    const states: string[] = [];
    connection.state.subscribe(() => states.push(connection.state.get().state));
    const signs = connection.callbacksFor('market');
    for (let second = 0; second < 600; second += 5) {
      signs.onMessage?.(Date.now());
      await vi.advanceTimersByTimeAsync(5_000);
    }
    expect(new Set(states)).toEqual(new Set(['live']));
    expect(connection.state.get().epoch).toBe(0);
    stop();
    vi.unstubAllGlobals();
  });

  it.each([
    ['the service', () => Promise.reject(new Error('away')), true],
    ['a stream', async () => ({ now: 0, nowMs: Date.now() }), false],
  ])('is lost with %s', async (_with, answer, hasMessages) => {
    const { connection, stop } = await open(answer);
    const signs = connection.callbacksFor('market');
    signs.onMessage?.(Date.now());
    for (let second = 0; second < 20; second += 5) {
      if (hasMessages) signs.onMessage?.(Date.now());
      await vi.advanceTimersByTimeAsync(5_000);
    }
    expect(connection.state.get().state).toBe('stale');
    stop();
  });
});
