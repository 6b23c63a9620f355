// How long the supervisor waits before it starts a child again, and when it no longer does.
import { describe, expect, it } from 'vitest';
import { RestartPolicy } from '../../src/supervisor/restart-policy.ts';

describe('the restart policy', () => {
  it('waits twice as long after each end and gives up at the sixth within a minute', () => {
    const policy = new RestartPolicy();
    expect([0, 1, 2, 3, 4, 5].map((seconds) => policy.nextDelayMs(seconds * 1_000))).toEqual([
      100,
      200,
      400,
      800,
      1_600,
      undefined,
    ]);
  });

  it('ignores what is more than a minute old', () => {
    const policy = new RestartPolicy();
    for (const seconds of [0, 20, 40, 60, 80, 100, 120, 140]) {
      expect(policy.nextDelayMs(seconds * 1_000)).toBeLessThanOrEqual(400);
    }
  });
});
