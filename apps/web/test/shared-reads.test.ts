// Components that show the same value share its read, and leave it one by one.
import { describe, expect, it } from 'vitest';
import { SharedReads } from '../src/state/shared-reads.ts';

function openReads() {
  const reads = new SharedReads<string>();
  const started: { signal: AbortSignal; answer: (value: string) => void; fail: (error: Error) => void }[] = [];
  const load = (signal: AbortSignal) =>
    new Promise<string>((answer, fail) => {
      started.push({ signal, answer, fail });
      signal.addEventListener('abort', () => fail(new Error('left')));
    });
  return { started, read: (key: string, signal: AbortSignal) => reads.read(key, signal, load) };
}

const stays = () => new AbortController().signal;

describe('a shared read', () => {
  it('answers all who ask while it is under way', async () => {
    const { started, read } = openReads();
    const both = [read('a', stays()), read('a', stays())];
    expect(started).toHaveLength(1);
    started[0]?.answer('one');
    expect(await Promise.all(both)).toEqual(['one', 'one']);
  });

  it('is not kept: who asks later reads anew, also after a failure', async () => {
    const { started, read } = openReads();
    const first = read('a', stays());
    started[0]?.fail(new Error('unreachable'));
    await expect(first).rejects.toThrow('unreachable');
    const second = read('a', stays());
    started[1]?.answer('two');
    expect(await second).toBe('two');
  });

  it('is another one for another key', () => {
    const { started, read } = openReads();
    void read('a', stays());
    void read('b', stays());
    expect(started).toHaveLength(2);
  });

  it('goes on until the last of them has left; who comes then does not wait for it', async () => {
    const { started, read } = openReads();
    const [one, other] = [new AbortController(), new AbortController()];
    const left = [read('a', one.signal), read('a', other.signal)].map((each) => each.catch(String));
    one.abort();
    expect(started[0]?.signal.aborted).toBe(false);
    other.abort();
    expect(started[0]?.signal.aborted).toBe(true);
    const next = read('a', stays());
    expect(await Promise.all(left)).toEqual(['Error: left', 'Error: left']);
    // The end of the first must not take the place of the second.
    void read('a', stays());
    expect(started).toHaveLength(2);
    started[1]?.answer('three');
    expect(await next).toBe('three');
  });
});
