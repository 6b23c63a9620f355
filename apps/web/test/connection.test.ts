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
