// Token buckets: a burst, then the steady rate, each name by itself, and no memory of those who are full again.
import { SeededRandom, seedFromEnv } from '@presage/testkit';
import { describe, expect, it } from 'vitest';
import { TokenBuckets } from '../../src/api/rate-limits.ts';

const START = 1_800_000_000_000;

function takenOf(buckets: TokenBuckets, name: string, count: number, nowMs: number): number {
  return Array.from({ length: count }, () => buckets.take(name, nowMs)).filter(({ isTaken }) => isTaken).length;
}

describe('a token bucket', () => {
  it('gives its burst at once and then its rate', () => {
    const buckets = new TokenBuckets({ perSecond: 50, burst: 100 });
    expect(takenOf(buckets, 'a', 150, START)).toBe(100);
    expect(takenOf(buckets, 'a', 150, START + 1_000)).toBe(50);
    expect(takenOf(buckets, 'a', 150, START + 60_000)).toBe(100);
  });

  it('keeps names apart', () => {
    const buckets = new TokenBuckets({ perSecond: 1, burst: 2 });
    expect(takenOf(buckets, 'a', 3, START)).toBe(2);
    expect(takenOf(buckets, 'b', 3, START)).toBe(2);
  });

  it('says how long to wait, in whole seconds, and the wait is enough', () => {
    const buckets = new TokenBuckets({ perSecond: 10 / 60, burst: 10 });
    expect(takenOf(buckets, 'a', 11, START)).toBe(10);
    const { isTaken, waitSeconds, remaining } = buckets.take('a', START);
    expect({ isTaken, waitSeconds, remaining }).toEqual({ isTaken: false, waitSeconds: 6, remaining: 0 });
    expect(buckets.take('a', START + 6_000).isTaken).toBe(true);
  });

  it('neither gives nor takes when the clock is set back', () => {
    const buckets = new TokenBuckets({ perSecond: 1, burst: 5 });
    expect(takenOf(buckets, 'a', 5, START)).toBe(5);
    expect(buckets.take('a', START - 60_000).isTaken).toBe(false);
    expect(buckets.take('a', START - 59_000).isTaken).toBe(true);
  });

  it('never gives more than burst + rate x time, whatever the moments', () => {
    const random = new SeededRandom(seedFromEnv(11));
    const buckets = new TokenBuckets({ perSecond: 7, burst: 14 });
    let [nowMs, taken] = [START, 0];
    for (let i = 0; i < 20_000; i++) {
      nowMs += random.int(0, 119);
      if (buckets.take('a', nowMs).isTaken) taken++;
      expect(taken).toBeLessThanOrEqual(14 + (7 * (nowMs - START)) / 1_000 + 1e-6);
    }
    expect(taken).toBeGreaterThan(7_000);
  });

  it('removes buckets that are full again, so that many addresses do not take memory for long', () => {
    const buckets = new TokenBuckets({ perSecond: 1, burst: 2 });
    for (let i = 0; i < 10_000; i++) buckets.take(`ip ${i}`, START);
    for (let i = 0; i < 5_000; i++) buckets.take(`late ${i}`, START + 5_000);
    expect(buckets.size).toBe(5_000);
  });

  it('allows half on each of two nodes that count for themselves, and says so', () => {
    const buckets = new TokenBuckets({ perSecond: 10, burst: 20 });
    const draws = Array.from({ length: 11 }, () => buckets.take('a', 0, 2));
    expect(draws.filter(({ isTaken }) => isTaken)).toHaveLength(10);
    expect(draws[0]).toMatchObject({ limit: 10, remaining: 9 });
    expect(buckets.take('a', 200, 2).isTaken).toBe(true);
  });
});
