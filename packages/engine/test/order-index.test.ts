// The table of orders by hash compared with a map, with hashes that share tags and places.
import type { OrderHash } from '@presage/protocol';
import { SeededRandom, seedFromEnv } from '@presage/testkit';
import { describe, expect, it } from 'vitest';
import { OrderIndex, tagOf } from '../src/memory/order-index.ts';

const SEEDS = [seedFromEnv(20_261_116), 3];
const PLACES = 64;
const toHash = (word: string) => `0x${word}` as const;
type Kept = { readonly accepted: { readonly orderHash: OrderHash } };

/** Few tags, all of which name one of the last places of a small table or the first: runs of places go over its end. */
function makeHashes(random: SeededRandom, seed: number, count: number): OrderHash[] {
  const isCrowded = (word: string) => [PLACES - 2, PLACES - 1, 0].includes(tagOf(toHash(word), seed) & (PLACES - 1));
  const words = Array.from({ length: 1_000 }, () => random.hex(4).slice(2))
    .filter(isCrowded)
    .slice(0, 5);
  return Array.from({ length: count }, () => `0x${random.pick(words)}${random.hex(28).slice(2)}` as const);
}

describe('the orders by hash', () => {
  it.each(SEEDS)('are those of a map after random additions and removals, seed %i', (seed) => {
    const random = new SeededRandom(seed);
    const hashes = makeHashes(random, seed, 120);
    const index = new OrderIndex<Kept>(seed);
    const map = new Map<OrderHash, Kept>();
    for (let step = 0; step < 4_000; step++) {
      const orderHash = random.pick(hashes);
      if (random.chance(0.5)) {
        const order = { accepted: { orderHash } };
        index.add(order);
        map.set(orderHash, order);
      } else {
        index.delete(orderHash);
        map.delete(orderHash);
      }
      const asked = random.pick(hashes);
      expect(index.get(asked)).toBe(map.get(asked));
      expect(index.size).toBe(map.size);
    }
    for (const hash of hashes) expect(index.get(hash)).toBe(map.get(hash));
    expect(new Set(index.values())).toEqual(new Set(map.values()));
  });

  it.each(SEEDS)(
    'stand in other places for whoever does not know the seed: hashes made to share one, seed %i',
    (seed) => {
      const random = new SeededRandom(seed);
      const words = Array.from({ length: 60_000 }, () => random.hex(4).slice(2));
      const crowd = words.filter((word) => (tagOf(toHash(word), 0) & (PLACES - 1)) === 5);
      const places = new Map<number, number>();
      for (const word of crowd) {
        const place = tagOf(toHash(word), seed) & (PLACES - 1);
        places.set(place, (places.get(place) ?? 0) + 1);
      }
      expect(crowd.length).toBeGreaterThan(800);
      expect(Math.max(...places.values())).toBeLessThan((3 * crowd.length) / PLACES);
    },
  );
});
