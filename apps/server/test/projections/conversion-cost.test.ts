// The rule by which a conversion carries costs, case by case.
import { SeededRandom, seedFromEnv } from '@presage/testkit';
import { describe, expect, it } from 'vitest';
import { carriedTo } from '../../src/projections/positions/conversion-cost.ts';

/** What each outcome's shares brought or cost, by index. */
function carry(gave: bigint, got: bigint, freed: bigint, costs: readonly bigint[]): bigint[] {
  const all = costs.reduce((sum, cost) => sum + cost, 0n);
  return costs.map((own, index) => carriedTo({ gave, got, freed, index }, { all, own }));
}

describe('a conversion', () => {
  it('of one NO carries its whole cost to YES of the others, the odd unit to the lowest', () => {
    expect(carry(0b001n, 0b110n, 0n, [401n, 0n, 0n])).toEqual([401n, 201n, 200n]);
  });

  it('of several NO carries what they cost beyond the collateral that came', () => {
    expect(carry(0b0011n, 0b1100n, 100n, [90n, 30n, 0n, 0n])).toEqual([90n, 30n, 10n, 10n]);
  });

  it('that frees more than the NO cost gives YES for nothing, and the rest is profit of those that went', () => {
    expect(carry(0b0011n, 0b1100n, 100n, [30n, 20n, 0n, 0n])).toEqual([55n, 45n, 0n, 0n]);
  });

  it('of all NO, or of all YES into collateral, brings each an equal part', () => {
    expect(carry(0b111n, 0n, 200n, [150n, 0n, 20n])).toEqual([67n, 67n, 66n]);
  });

  it('of collateral into YES of all outcomes costs each an equal part', () => {
    expect(carry(0n, 0b111n, -100n, [0n, 0n, 0n])).toEqual([34n, 33n, 33n]);
  });

  it('changes costs less profits by exactly the collateral, whatever it is', () => {
    const random = new SeededRandom(seedFromEnv(3));
    for (let round = 0; round < 500; round++) {
      const count = random.int(2, 8);
      const all = (1n << BigInt(count)) - 1n;
      const gave = BigInt(random.int(0, Number(all)));
      const isGiven = (index: number) => ((gave >> BigInt(index)) & 1n) === 1n;
      const costs = Array.from({ length: count }, (_, index) => (isGiven(index) ? BigInt(random.int(0, 99)) : 0n));
      const freed = gave === 0n ? -BigInt(random.int(1, 99)) : BigInt(random.int(0, 150));
      const carried = carry(gave, all ^ gave, freed, costs);
      // Costs go with the shares, profits are what they brought beyond, and what came has cost what was carried.
      const change = carried.reduce((sum, each, index) => sum + (isGiven(index) ? -each : each), 0n);
      expect(change, `round ${round}`).toBe(-freed);
    }
  });
});
