// Retries of settlement: when the next one comes, what the operator is told meanwhile, and what ends a rest.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Retries } from '../../src/settlement/retries.ts';

const LONGEST_MS = 15_000;

let tries = 0;
let retries: Retries;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'] });
  tries = 0;
  retries = new Retries(() => {
    tries += 1;
  });
});
afterEach(() => {
  retries.close();
  vi.useRealTimers();
});

/** Plans one more retry; resolves to how long it was waited for. */
function waitOfNext(): number {
  retries.later('the node is away');
  const [before, start] = [tries, Date.now()];
  while (tries === before) vi.advanceTimersToNextTimer();
  return Date.now() - start;
}

describe('the next retry', () => {
  it('comes later with every failure in a row, up to a bound, and soon again after progress', () => {
    const waits = Array.from({ length: 10 }, waitOfNext);
    expect(waits.toSorted((one, other) => one - other)).toEqual(waits);
    expect(waits.at(-1)).toBe(LONGEST_MS);
    retries.onProgress();
    expect(waitOfNext()).toBe(waits[0]);
  });

  it('replaces the one that was planned before, and is told with its reason', () => {
    retries.later('the node is away');
    retries.later('the account is empty');
    const { nextTryMs, ...rest } = retries.trouble;
    expect(rest).toEqual({ attempts: 2, reason: 'the account is empty', refusedBatches: 0 });
    vi.advanceTimersByTime(nextTryMs! - Date.now());
    expect(tries).toBe(1);
    vi.advanceTimersByTime(LONGEST_MS);
    expect(tries).toBe(1);
    expect(retries.trouble.nextTryMs).toBeUndefined();
  });

  it('does not come after the end', () => {
    retries.later('the node is away');
    retries.close();
    retries.later('the node is away');
    retries.now();
    vi.advanceTimersByTime(LONGEST_MS);
    expect(tries).toBe(0);
  });
});

describe('a rest', () => {
  it('plans an attempt for its end', () => {
    expect(retries.mustRest()).toBe(false);
    retries.rest();
    expect(retries.mustRest()).toBe(true);
    vi.advanceTimersByTime(LONGEST_MS);
    expect(tries).toBe(1);
    expect(retries.mustRest()).toBe(false);
  });

  it('is over once an attempt is made at once', () => {
    retries.rest();
    retries.now();
    expect(tries).toBe(1);
    expect(retries.mustRest()).toBe(false);
  });
});
