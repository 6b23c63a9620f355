// The seed is the flow: same seed, same draws; and the draws are fair enough to test with.
import { SeededRandom } from '@presage/testkit';
import { describe, expect, it } from 'vitest';

describe('seeded randomness', () => {
  it('gives the same draws for the same seed, and others for another', () => {
    const draw = (seed: number) =>
      Array.from(
        { length: 20 },
        (
          (random) => () =>
            random.uint32()
        )(new SeededRandom(seed)),
      );
    expect(draw(7)).toEqual(draw(7));
    expect(draw(7)).not.toEqual(draw(8));
    expect(draw(2 ** 32 + 7)).not.toEqual(draw(7));
  });

  it('keeps to known values for ever: kept seeds must go on meaning the same', () => {
    const random = new SeededRandom(42);
    expect([random.uint32(), random.uint32(), random.uint32()]).toMatchInlineSnapshot(`
      [
        1264412219,
        1947509147,
        3919439299,
      ]
    `);
  });

  it('draws integers from both ends and all between', () => {
    const random = new SeededRandom(1);
    const counts = new Map<number, number>();
    for (let draw = 0; draw < 6_000; draw++) {
      const value = random.int(-2, 3);
      counts.set(value, (counts.get(value) ?? 0) + 1);
    }
    expect([...counts.keys()].sort((a, b) => a - b)).toEqual([-2, -1, 0, 1, 2, 3]);
    for (const count of counts.values()) expect(Math.abs(count - 1_000)).toBeLessThan(150);
  });

  it('draws names by weight, never one of weight 0', () => {
    const random = new SeededRandom(2);
    const draws = Array.from({ length: 4_000 }, () => random.weighted({ often: 3, seldom: 1, never: 0 }));
    expect(draws).not.toContain('never');
    expect(Math.abs(draws.filter((name) => name === 'seldom').length - 1_000)).toBeLessThan(150);
  });

  it('draws uint64 and bytes of the length asked for', () => {
    const random = new SeededRandom(3);
    for (let draw = 0; draw < 50; draw++) {
      expect(BigInt.asUintN(64, random.bigint64())).toBeGreaterThanOrEqual(0n);
      expect(random.hex(20)).toMatch(/^0x[0-9a-f]{40}$/);
      expect(random.hex(65)).toMatch(/^0x[0-9a-f]{130}$/);
    }
  });

  it('shuffles without losing anything, and picks nothing from nothing', () => {
    const random = new SeededRandom(4);
    const items = Array.from({ length: 30 }, (_, index) => index);
    const shuffled = random.shuffle(items);
    expect(shuffled).not.toEqual(items);
    expect(shuffled.toSorted((a, b) => a - b)).toEqual(items);
    expect(() => random.pick([])).toThrow('nothing to pick from');
  });
});
