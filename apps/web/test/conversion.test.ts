// The conversion that the page offers: of all sets of NO that a wallet holds, the one that frees the most at once.
import { SeededRandom, seedFromEnv } from '@presage/testkit';
import { describe, expect, it } from 'vitest';
import { bestConversion, type HeldNo } from '../src/lib/conversion.ts';

const SEED = seedFromEnv(20_261_118);
const hold = (...amounts: number[]): HeldNo[] => amounts.map((shares, index) => ({ index, shares: BigInt(shares) }));

describe('the conversion that frees the most', () => {
  it('needs NO of two outcomes', () => {
    expect(bestConversion([])).toBeUndefined();
    expect(bestConversion(hold(5, 0, 0))).toBeUndefined();
    expect(bestConversion(hold(5, 0, 2))).toEqual({ indexes: [0, 2], amount: 2n, freed: 2n });
  });

  it('leaves a small holding out where the others free more', () => {
    expect(bestConversion(hold(10, 1, 10))).toEqual({ indexes: [0, 2], amount: 10n, freed: 10n });
    expect(bestConversion(hold(10, 6, 10))).toEqual({ indexes: [0, 1, 2], amount: 6n, freed: 12n });
  });

  it(`equals the best of all sets (seed ${SEED})`, () => {
    const random = new SeededRandom(SEED);
    for (let round = 0; round < 200; round++) {
      const held = hold(...Array.from({ length: random.int(2, 7) }, () => random.int(0, 12)));
      expect(bestConversion(held)?.freed ?? 0n).toBe(mostOfAllSets(held));
    }
  });
});

function mostOfAllSets(held: readonly HeldNo[]): bigint {
  let most = 0n;
  for (let set = 1; set < 1 << held.length; set++) {
    const chosen = held.filter((_, place) => (set >> place) & 1).map(({ shares }) => shares);
    const amount = chosen.reduce((least, shares) => (shares < least ? shares : least));
    const freed = amount * BigInt(chosen.length - 1);
    if (freed > most) most = freed;
  }
  return most;
}
