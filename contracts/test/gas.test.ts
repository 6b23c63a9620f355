// Guards the gas cost of a fill: ceilings just above the measured values, since gas is the same on every machine.
import { isLongRun } from '@presage/testkit';
import { describe, expect, it } from 'vitest';
import { measureBareTransfer } from '../../bench/gas/bare-transfer.ts';
import { measure } from '../../bench/gas/cases.ts';

/** Mean gas per fill over the eight nonces of a slot. A dear token costs what USDC costs: V2 takes 189,297, 75,490 and 64,252 with it. */
const cases = [
  { title: 'one trade', buyers: 1, sellers: 1, ceiling: 98_250 },
  { title: 'one taker who buys from ten makers', buyers: 1, sellers: 10, ceiling: 41_980 },
  { title: 'one taker who sells to ten makers', buyers: 10, sellers: 1, ceiling: 41_990 },
  { title: 'a hundred independent trades', buyers: 100, sellers: 100, ceiling: 60_330 },
  { title: 'one taker who buys from a hundred makers', buyers: 1, sellers: 100, ceiling: 36_360 },
  { title: 'one trade with a dear token', buyers: 1, sellers: 1, isDear: true, ceiling: 113_280 },
  { title: 'ten makers with a dear token', buyers: 1, sellers: 10, isDear: true, ceiling: 46_830 },
  { title: 'a hundred independent trades with a dear token', buyers: 100, sellers: 100, isDear: true, ceiling: 66_940 },
  { title: 'a hundred makers with a dear token', buyers: 1, sellers: 100, isDear: true, ceiling: 40_200 },
  // With deposits, of all traders or of the makers alone: a taker's wallet then pays or is paid once for all of them.
  { title: 'one trade between deposits', buyers: 1, sellers: 1, isDear: true, ledger: 'everybody', ceiling: 92_200 },
  { title: 'ten makers with deposits', buyers: 1, sellers: 10, isDear: true, ledger: 'makers', ceiling: 43_370 },
  {
    title: 'ten makers who buy from deposits',
    buyers: 10,
    sellers: 1,
    isDear: true,
    ledger: 'makers',
    ceiling: 40_200,
  },
  { title: 'a hundred makers with deposits', buyers: 1, sellers: 100, isDear: true, ledger: 'makers', ceiling: 35_710 },
  // With a fee of 2 %, of which makers get a quarter.
  { title: 'one trade with a fee', buyers: 1, sellers: 1, isDear: true, hasFee: true, ceiling: 137_200 },
  { title: 'ten makers with a fee', buyers: 1, sellers: 10, isDear: true, hasFee: true, ceiling: 51_310 },
  { title: 'ten makers who buy with a fee', buyers: 10, sellers: 1, isDear: true, hasFee: true, ceiling: 54_260 },
  { title: 'a hundred makers with a fee', buyers: 1, sellers: 100, isDear: true, hasFee: true, ceiling: 42_420 },
  {
    title: 'a hundred makers who buy with a fee',
    buyers: 100,
    sellers: 1,
    isDear: true,
    hasFee: true,
    ceiling: 45_190,
  },
  {
    title: 'a hundred independent trades with a fee',
    buyers: 100,
    sellers: 100,
    isDear: true,
    hasFee: true,
    ceiling: 74_730,
  },
] as const;
// Two hundred wallets take ten seconds to set up.
const measured = cases.filter(({ buyers, sellers }) => buyers + sellers < 100 || isLongRun);

describe('the gas of a fill', () => {
  it.each(measured)('stays below $ceiling for $title', async ({ ceiling, ...gasCase }) => {
    const { mean, settled, failed } = await measure({ ...gasCase, sellersHoldShares: true });
    expect([settled, failed]).toEqual([Math.max(gasCase.buyers, gasCase.sellers), 0]);
    expect(mean).toBeLessThan(ceiling);
  });

  it('of independent trades with a fee cannot be less than a second transfer, which takes more than 3,500 alone', async () => {
    expect(await measureBareTransfer()).toBeGreaterThan(3_500);
  });

  it('settles nine fills when one maker of ten is bad', async () => {
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
