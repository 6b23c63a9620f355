// What was last known is answered while somebody does not answer.
import { waitFor } from '@presage/testkit';
import { expect, it } from 'vitest';
import { LastKnown } from '../../src/api/last-known.ts';

it('answers with the last known value while a new one is pending, and asks only once', async () => {
  const answers: ((value: string) => void)[] = [];
  let nowMs = 0;
  const ask = () => new Promise<string>((resolve) => answers.push(resolve));
  const known = new LastKnown({ ask, nowMs: () => nowMs, reuseMs: 1_000, patienceMs: 1 });
  const first = known.read();
  answers[0]?.('up');
  expect(await first).toBe('up');
  expect(await known.read()).toBe('up');
  expect(answers).toHaveLength(1);
  nowMs = 5_000;
  expect(await known.read()).toBe('up');
  nowMs = 10_000;
  expect(await known.read()).toBe('up');
  expect(answers).toHaveLength(2);
  answers[1]?.('down');
  await waitFor('the late answer is known', async () => (await known.read()) === 'down');
});

it('asks again after a failure', async () => {
  let count = 0;
  const ask = async () => {
    count += 1;
    if (count === 1) throw new Error('not now');
    return count;
  };
  const known = new LastKnown({ ask, nowMs: () => 0, reuseMs: 1_000, patienceMs: 1 });
  await expect(known.read()).rejects.toThrow('not now');
  expect(await known.read()).toBe(2);
});
