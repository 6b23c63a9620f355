// How long the supervisor waits before it starts a child again.
import { describe, expect, it } from 'vitest';
import { RestartPolicy } from '../../src/supervisor/kept-process.ts';

describe('the restart policy', () => {
  it('waits twice as long after each end, half a minute at most, and never gives up', () => {
    const policy = new RestartPolicy();
    const delays: number[] = [];
    for (let nowMs = 0; delays.length < 12; nowMs += 2_000 + delays.at(-1)!) delays.push(policy.nextDelayMs(nowMs));
    expect(delays.slice(0, 5)).toEqual([100, 200, 400, 800, 1_600]);
    expect(delays.slice(-3)).toEqual([30_000, 30_000, 30_000]);
  });

  it('begins anew after a child has run for more than a minute', () => {
    const policy = new RestartPolicy();
    for (const seconds of [0, 2, 4, 6]) policy.nextDelayMs(seconds * 1_000);
    expect(policy.nextDelayMs(120_000)).toBe(100);
  });
});
