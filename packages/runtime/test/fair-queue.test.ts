// Callers take turns, whoever has more to do.
import { expect, it } from 'vitest';
import { FairQueue } from '../src/index.ts';

it('runs one task of each caller in turn', async () => {
  const queue = new FairQueue();
  const done: string[] = [];
  const ask = (caller: string, task: string) => queue.run(caller, async () => void done.push(task));
  const asked = ['a1', 'a2', 'a3', 'b1', 'c1', 'b2'].map((task) => ask(task.slice(0, 1), task));
  expect([queue.waitingOf('a'), queue.waitingOf('b'), queue.waitingOf('nobody')]).toEqual([2, 2, 0]);
  await Promise.all(asked);
  expect(done).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2']);
  expect(queue.waitingOf('a')).toBe(0);
});

it('passes a failure on and runs the next task', async () => {
  const queue = new FairQueue();
  const failed = queue.run('a', () => {
    throw new Error('no');
  });
  const next = queue.run('a', () => 'yes');
  await expect(failed).rejects.toThrow('no');
  expect(await next).toBe('yes');
});
