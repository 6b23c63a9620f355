// The table of orders by hash compared with a map, with hashes that share tags and places.
import type { OrderHash } from '@presage/protocol';
import { SeededRandom, seedFromEnv } from '@presage/testkit';
import { describe, expect, it } from 'vitest';
import { OrderIndex } from '../src/order-index.ts';

/** Few tags, all of which name one of the last places of a small table: runs of places go over its end. */
function makeHashes(random: SeededRandom, count: number): OrderHash[] {
  const tags = ['00000000', '0000003f', 'ffffffff', 'f000003e', '00000001'];
  return Array.from({ length: count }, () => `0x${random.pick(tags)}${random.hex(28).slice(2)}` as const);
}

describe('the orders by hash', () => {
  it.each([seedFromEnv(20_261_116), 3])('are those of a map after random additions and removals, seed %i', (seed) => {
    const random = new SeededRandom(seed);
    const hashes = makeHashes(random, 120);
    const index = new OrderIndex<{ readonly accepted: { readonly orderHash: OrderHash } }>();
    const map = new Map<OrderHash, { readonly accepted: { readonly orderHash: OrderHash } }>();
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
});
