// The newest entries are kept and the oldest forgotten, whatever is set again in between.
import { NewestMap } from '@presage/runtime';
import { SeededRandom, seedFromEnv } from '@presage/testkit';
import { expect, test } from 'vitest';

const MOST = 20;

test('the newest half is always kept, and never more than the most', () => {
  const random = new SeededRandom(seedFromEnv(20_261_119));
  const map = new NewestMap<number, string>(MOST);
  /** Oldest first. */
  let model: [number, string][] = [];
  for (let step = 0; step < 2_000; step++) {
    const [key, value] = [random.int(0, 60), `value ${step}`];
    map.set(key, value);
    model = [...model.filter(([each]) => each !== key), [key, value]];
    for (const [kept, expected] of model.slice(-MOST / 2)) expect(map.get(kept)).toBe(expected);
    const entries = [...map.entries()];
    expect(entries.length).toBeLessThanOrEqual(MOST);
    expect(new Set(entries.map(([each]) => each)).size).toBe(entries.length);
    for (const [kept, found] of entries) expect(map.get(kept)).toBe(found);
  }
  map.clear();
  expect([...map.entries()]).toEqual([]);
});

test('what was never set is not there', () => {
  const map = new NewestMap<string, number>(1);
  map.set('one', 0);
  expect(map.get('one')).toBe(0);
  expect(map.get('two')).toBeUndefined();
});
