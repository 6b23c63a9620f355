// A fill stays as cheap as it is: the figures of contracts.md are ceilings, and gas is the same on every machine.
import { describe, expect, it } from 'vitest';
import { measure } from '../../bench/gas/cases.ts';

describe('the gas of a fill', () => {
  it('stays below the prototype for one trade', async () => {
    const { mean, settled } = await measure({ title: '', buyers: 1, sellers: 1, sellersHoldShares: true });
    expect(settled).toBe(1);
    expect(mean).toBeLessThan(101_500);
  });

  it('stays below the prototype for one taker and ten makers', async () => {
    const { mean, settled } = await measure({ title: '', buyers: 1, sellers: 10, sellersHoldShares: true });
    expect(settled).toBe(10);
    expect(mean).toBeLessThanOrEqual(45_598);
  });

  it('settles nine when one maker of ten is bad', async () => {
    const { settled, failed } = await measure({
      title: '',
      buyers: 1,
      sellers: 10,
      sellersHoldShares: true,
      badSeller: 4,
    });
    expect([settled, failed]).toEqual([9, 1]);
  });
});
