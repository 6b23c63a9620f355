// What comes while others are worked on waits for the next round, each once, and what fails is repeated until it succeeds.
import { expect, it } from 'vitest';
import { RepeatedWork } from '../src/index.ts';

/** Rounds that end when the test says so. */
function openWork() {
  const rounds: { readonly things: readonly string[]; readonly end: (error?: Error) => void }[] = [];
  const troubles: unknown[] = [];
  const work = new RepeatedWork<string>({
    work: (things) =>
      new Promise<void>((resolve, reject) => {
        rounds.push({ things, end: (error) => (error === undefined ? resolve() : reject(error)) });
      }),
    onTrouble: (error) => troubles.push(error),
    pauseMs: 1,
  });
  const toRound = async (count: number) => {
    while (rounds.length < count) await new Promise((resolve) => setTimeout(resolve, 1));
    return rounds[count - 1]!;
  };
  return { work, rounds, troubles, toRound };
}

it('runs one round at a time, with all that came meanwhile in the next', async () => {
  const { work, rounds, toRound } = openWork();
  work.add('a');
  work.addAll(['b', 'c']);
  work.add('b');
  expect(rounds).toHaveLength(1);
  rounds[0]!.end();
  expect((await toRound(2)).things).toEqual(['b', 'c']);
  rounds[1]!.end();
  work.add('d');
  expect((await toRound(3)).things).toEqual(['d']);
  rounds[2]!.end();
  await work.close();
  expect(rounds.map(({ things }) => things)).toEqual([['a'], ['b', 'c'], ['d']]);
});

it('repeats what failed, together with what came since, and not after it was closed', async () => {
  const { work, rounds, troubles, toRound } = openWork();
  work.add('a');
  work.add('b');
  rounds[0]!.end(new Error('away'));
  expect([...(await toRound(2)).things].sort()).toEqual(['a', 'b']);
  const closing = work.close();
  rounds[1]!.end(new Error('still away'));
  await closing;
  expect(troubles.map(String)).toEqual(['Error: away', 'Error: still away']);
  expect(rounds).toHaveLength(2);
});

it('takes as many at once as there are', async () => {
  const { work, rounds } = openWork();
  const many = Array.from({ length: 300_000 }, (_, index) => String(index));
  work.addAll(many);
  expect(rounds[0]!.things).toHaveLength(many.length);
  rounds[0]!.end();
  await work.close();
});
