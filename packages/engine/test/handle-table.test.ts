// The table of handles compared with a map, with tags that share places; and keys that somebody made to share one.
import { SeededRandom, seedFromEnv } from '@presage/testkit';
import { describe, expect, it } from 'vitest';
import { HandleTable } from '../src/slabs/handle-table.ts';
import { tagOf } from '../src/slabs/tags.ts';

const SEEDS = [seedFromEnv(20_261_116), 3];
const PLACES = 64;
const NONE = -1;

/** Few tags, all of which name one of the last places of a small table or the first: runs of places go over its end. */
function makeTags(random: SeededRandom): number[] {
  return Array.from({ length: 5 }, () => random.int(1, 1_000) * PLACES + random.pick([PLACES - 2, PLACES - 1, 0]));
}

function handlesUnder(table: HandleTable, tag: number): number[] {
  const handles: number[] = [];
  for (let place = table.first(tag); place !== NONE; place = table.next(place, tag)) handles.push(table.handle(place));
  return handles.sort((a, b) => a - b);
}

describe('the table of handles', () => {
  it.each(SEEDS)('has those of a map after random additions and removals, seed %i', (seed) => {
    const random = new SeededRandom(seed);
    const tags = makeTags(random);
    let table = new HandleTable();
    const map = new Map<number, number[]>(tags.map((tag) => [tag, []]));
    for (let step = 0; step < 4_000; step++) {
      const tag = random.pick(tags);
      const handles = map.get(tag)!;
      const total = [...map.values()].flat().length;
      if (random.chance(total > 100 ? 0.3 : 0.6)) {
        table.add(tag, step);
        handles.push(step);
      } else if (handles.length > 0) {
        const gone = random.pick(handles);
        table.delete(tag, gone);
        handles.splice(handles.indexOf(gone), 1);
      } else table.delete(tag, step);
      if (step % 500 === 0) table = table.copy();
      const asked = random.pick(tags);
      expect(handlesUnder(table, asked)).toEqual(map.get(asked));
      expect(table.size).toBe([...map.values()].flat().length);
    }
  });

  it.each(SEEDS)('finds what was just added, what was added long ago and what has a new handle, seed %i', (seed) => {
    const random = new SeededRandom(seed);
    const table = new HandleTable();
    if (random.chance(0.5)) table.reserve(3_000);
    for (let handle = 0; handle < 3_000; handle++) {
      const tag = handle * 7 + 1;
      table.add(tag, handle);
      expect(handlesUnder(table, tag)).toEqual([handle]);
      const known = random.int(0, handle);
      const place = table.first(known * 7 + 1);
      expect(table.handle(place) % 10_000).toBe(known);
      table.replace(place, known + 10_000);
      expect(handlesUnder(table, known * 7 + 1)).toEqual([known + 10_000]);
      expect(table.first(tag + 1)).toBe(NONE);
    }
    expect(table.size).toBe(3_000);
  });

  it.each(SEEDS)('has other places for whoever does not know the seed: keys made to share one, seed %i', (seed) => {
    const random = new SeededRandom(seed);
    const keys = Array.from({ length: 60_000 }, () => random.int(0, 2 ** 32 - 1) | 0);
    const crowd = keys.filter((key) => (tagOf(key, 0) & (PLACES - 1)) === 5);
    const places = new Map<number, number>();
    for (const key of crowd) {
      const place = tagOf(key, seed) & (PLACES - 1);
      places.set(place, (places.get(place) ?? 0) + 1);
    }
    expect(crowd.length).toBeGreaterThan(800);
    expect(Math.max(...places.values())).toBeLessThan((3 * crowd.length) / PLACES);
  });
});
