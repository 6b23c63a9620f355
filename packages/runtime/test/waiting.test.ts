// Queues, backoff, waiting and the clock: what every program here relies on.
import { Backoff, backoffMs, Listeners, OffsetClock, poll, SerialQueue, sleep, waitFor } from '@presage/runtime';
import { afterEach, describe, expect, it, vi } from 'vitest';

afterEach(() => vi.restoreAllMocks());

describe('a serial queue', () => {
  it('runs tasks one after another in the order they were given', async () => {
    const queue = new SerialQueue();
    const steps: string[] = [];
    const task = (name: string) => async () => {
      steps.push(`${name} begins`);
      await sleep(1);
      steps.push(`${name} ends`);
      return name;
    };
    expect(await Promise.all([queue.run(task('a')), queue.run(task('b'))])).toEqual(['a', 'b']);
    expect(steps).toEqual(['a begins', 'a ends', 'b begins', 'b ends']);
  });

  it('goes on after a task that failed, and rejects only for that one', async () => {
    const queue = new SerialQueue();
    const failing = queue.run(async () => {
      throw new Error('no');
    });
    const next = queue.run(() => 7);
    await expect(failing).rejects.toThrow('no');
    expect(await next).toBe(7);
    await queue.idle();
  });
});

describe('a backoff', () => {
  it('doubles up to its bound, and begins again after a reset', () => {
    vi.spyOn(Math, 'random').mockReturnValue(0);
    const backoff = new Backoff({ firstMs: 100, longestMs: 500 });
    expect([backoff.nextMs(), backoff.nextMs(), backoff.nextMs(), backoff.nextMs()]).toEqual([100, 200, 400, 500]);
    backoff.reset();
    expect(backoff.nextMs()).toBe(100);
  });

  it('leaves a quarter of each wait to chance', () => {
    vi.spyOn(Math, 'random').mockReturnValue(1);
    expect(new Backoff({ firstMs: 100, longestMs: 500 }).nextMs()).toBe(75);
  });

  it('stays at its bound after any number of failures', () => {
    expect(backoffMs({ firstMs: 100, longestMs: 500 }, 5_000)).toBe(500);
  });
});

describe('waiting', () => {
  it('asks until there is an answer, and gives it', async () => {
    let asked = 0;
    expect(await waitFor('the third time', () => ++asked === 3 && asked, { pollMs: 1 })).toBe(3);
  });

  it('says what it waited for when the time is over, or answers undefined', async () => {
    const never = async () => undefined;
    await expect(waitFor('pigs fly', never, { timeoutMs: 5, pollMs: 1 })).rejects.toThrow('until pigs fly');
    expect(await poll(never, { timeoutMs: 5, pollMs: 1 })).toBeUndefined();
  });

  it('takes 0 and the empty text for answers', async () => {
    expect(await waitFor('a number', () => 0)).toBe(0);
    expect(await waitFor('a text', () => '')).toBe('');
  });

  it('can be called off while asleep, and before', async () => {
    const ending = new AbortController();
    const asleep = sleep(60_000, ending.signal);
    ending.abort(new Error('enough'));
    await expect(asleep).rejects.toThrow('enough');
    await expect(sleep(0, ending.signal)).rejects.toThrow('enough');
  });
});

it('an offset clock is ahead of the wall clock by its offset', () => {
  const clock = new OffsetClock(() => 10_500);
  expect([clock.nowMs(), clock.nowSeconds()]).toEqual([10_500, 10]);
  clock.setOffset(90);
  expect([clock.nowMs(), clock.nowSeconds(), clock.offsetSeconds]).toEqual([100_500, 100, 90]);
});

it('listeners are called in order until they are removed', () => {
  const listeners = new Listeners<[number]>();
  const received: string[] = [];
  const remove = listeners.add((value) => received.push(`a${value}`));
  listeners.add((value) => received.push(`b${value}`));
  listeners.call(1);
  remove();
  listeners.call(2);
  expect([received, listeners.size]).toEqual([['a1', 'b1', 'b2'], 1]);
});
