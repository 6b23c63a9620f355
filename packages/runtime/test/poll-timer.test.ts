// The poll timer: quick while something moves, slow while nothing does, quick again when woken.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type PollResult, PollTimer } from '../src/poll-timer.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

/** Answers when the steps were taken, in milliseconds of the fake clock, which counts a pause of 0 as 1. */
function startTimer(results: () => PollResult): { readonly timer: PollTimer; readonly takenMs: number[] } {
  const takenMs: number[] = [];
  const startMs = Date.now();
  const step = async () => {
    takenMs.push(Date.now() - startMs);
    return results();
  };
  const timer = new PollTimer({ pollMs: 10, idleMs: () => 100, longestMs: 40, step });
  timer.start();
  return { timer, takenMs };
}

describe('the poll timer', () => {
  it('doubles its pause while nothing moves, up to the longest', async () => {
    const { takenMs } = startTimer(() => 'idle');
    await vi.advanceTimersByTimeAsync(400);
    expect(takenMs).toEqual([0, 10, 30, 70, 150, 250, 350]);
  });

  it('keeps its pace while something is under way, and goes on at once while there is more', async () => {
    const results: PollResult[] = ['more', 'more', 'busy', 'busy', 'idle'];
    const { takenMs } = startTimer(() => results.shift() ?? 'busy');
    await vi.advanceTimersByTimeAsync(35);
    expect(takenMs).toEqual([0, 1, 2, 12, 22, 32]);
  });

  it('takes a step at once when it is woken, and is quick again afterwards', async () => {
    const { timer, takenMs } = startTimer(() => 'idle');
    await vi.advanceTimersByTimeAsync(160);
    timer.wake();
    await vi.advanceTimersByTimeAsync(35);
    expect(takenMs.slice(5)).toEqual([160, 170, 190]);
  });

  it('takes another step after the one during which it was woken', async () => {
    let wake = () => {};
    const results = () => {
      wake();
      wake = () => {};
      return 'idle' as const;
    };
    const { timer, takenMs } = startTimer(results);
    wake = () => timer.wake();
    await vi.advanceTimersByTimeAsync(5);
    expect(takenMs).toEqual([0, 1]);
  });

  it('is not hurried by heads while the node fails', async () => {
    const { timer, takenMs } = startTimer(() => 'failed');
    await vi.advanceTimersByTimeAsync(1);
    timer.wake();
    await vi.advanceTimersByTimeAsync(100);
    expect(takenMs).toEqual([0, 20, 60, 100]);
  });

  it('takes no step after it was closed', async () => {
    const { timer, takenMs } = startTimer(() => 'busy');
    await vi.advanceTimersByTimeAsync(5);
    timer.close();
    await vi.advanceTimersByTimeAsync(100);
    expect(takenMs).toEqual([0]);
  });
});
