// A creation that takes longer than an answer: the caller learns that it goes on, and finds it again with the same words.
import { expect, it } from 'vitest';
import { SlowCreations } from '../../src/api/slow-creations.ts';

function openCreation() {
  let count = 0;
  let resolve: (event: string) => void = () => undefined;
  let reject: (error: Error) => void = () => undefined;
  const promise = new Promise<string>((...settle) => {
    [resolve, reject] = settle;
  });
  const done = { resolve: (event: string) => resolve(event), reject: (error: Error) => reject(error) };
  const create = () => {
    count++;
    return promise;
  };
  return { done, create, counted: () => count };
}

it('answers a creation that is in time, and makes the next one anew', async () => {
  const creations = new SlowCreations<string>();
  let count = 0;
  const create = async () => `event ${++count}`;
  expect(await creations.run('Who?', create)).toBe('event 1');
  expect(await creations.run('Who?', create)).toBe('event 2');
});

it('says that a slow creation goes on, and answers it to the same request later', async () => {
  const creations = new SlowCreations<string>(1);
  const { done, create, counted } = openCreation();
  await expect(creations.run('Who?', create)).rejects.toMatchObject({ code: 'chain_unavailable' });
  await expect(creations.run('Who?', create)).rejects.toThrow(/still being created/);
  done.resolve('event 1');
  expect(await creations.run('Who?', create)).toBe('event 1');
  expect(counted()).toBe(1);
  expect(await creations.run('Who?', async () => 'event 2')).toBe('event 2');
});

it('tells the same request how a slow creation failed, once', async () => {
  const creations = new SlowCreations<string>(1);
  const { done, create } = openCreation();
  await expect(creations.run('Who?', create)).rejects.toMatchObject({ code: 'chain_unavailable' });
  done.reject(new Error('no gas'));
  await expect(creations.run('Who?', create)).rejects.toThrow('no gas');
  expect(await creations.run('Who?', async () => 'event 2')).toBe('event 2');
});
