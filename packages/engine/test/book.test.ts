// Both implementations of the book, and what only the fast one guarantees.
import { createBookPools, FastBook, fastBooks } from '@presage/engine';
import { BUY, type Side, YES } from '@presage/protocol';
import { NaiveBook, SeededRandom, seedFromEnv } from '@presage/testkit';
import { describe, expect, it } from 'vitest';
import { describeBook } from './conformance.ts';

describeBook('the naive book', (outcome) => new NaiveBook(outcome));
describeBook('the fast book', fastBooks());

describe('the fast book', () => {
  it('holds no page of the ladder while it is empty', () => {
    const pools = createBookPools();
    const book = new FastBook(YES, pools);
    expect(pools.pages.inUse).toBe(0);
    for (let slot = 0; slot < 99; slot++) book.insert(slot, BUY, 10_000 * (slot + 1), slot, 1);
    expect(pools.pages.inUse).toBeGreaterThan(99);
    for (let slot = 0; slot < 99; slot++) book.remove(slot);
    expect(pools.pages.inUse).toBe(0);
  });

  it.each([seedFromEnv(20_261_115), 7])(
    'equals the naive one over random inserts, takes, gives and removals, seed %i',
    (seed) => {
      const random = new SeededRandom(seed);
      const fast = fastBooks()(YES);
      const naive = new NaiveBook(YES);
      const live: number[] = [];
      for (let step = 0; step < 4000; step++) {
        const side = random.int(0, 1) as Side;
        const action = live.length < 60 ? 'insert' : random.weighted({ insert: 4, take: 3, give: 1, remove: 3 });
        if (action === 'insert') {
          // A random sequence now and then: an order that comes back to its old place.
          const sequence = random.chance(0.2) ? random.int(0, step) + random.fraction() : step;
          const price = random.int(1, 40) * random.pick([1, 31, 997]);
          const size = random.pick([1, 10, 2 ** 52, Number.MAX_SAFE_INTEGER]);
          fast.insert(step, side, price, sequence, size);
          naive.insert(step, side, price, sequence, size);
          live.push(step);
          continue;
        }
        const index = random.int(0, live.length - 1);
        const slot = live[index]!;
        const remaining = naive.remaining(slot);
        if (action === 'give') for (const book of [fast, naive]) book.give(slot, Number.MAX_SAFE_INTEGER - remaining);
        if (action === 'take') {
          const size = random.int(1, remaining);
          expect(fast.take(slot, size)).toBe(naive.take(slot, size));
          if (size === remaining) live.splice(index, 1);
        }
        if (action === 'remove') {
          expect(fast.remove(slot)).toBe(naive.remove(slot));
          live.splice(index, 1);
        }
        expect(fast.first(side)).toBe(naive.first(side));
        if (step % 50 > 0) continue;
        expect(fast.levels(0)).toEqual(naive.levels(0));
        expect(fast.levels(1)).toEqual(naive.levels(1));
        expect(fast.hash()).toBe(naive.hash());
        for (const each of live) expect(fast.next(each)).toBe(naive.next(each));
      }
    },
  );
});
