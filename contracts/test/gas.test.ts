// Guards the gas cost of a fill: ceilings just above the measured values, since gas is the same on every machine.
import { isLongRun } from '@presage/testkit';
import { describe, expect, it } from 'vitest';
import { measure } from '../../bench/gas/cases.ts';

/** Mean gas per fill over the eight nonces of a slot. A dear token costs what USDC costs: V2 takes 189,297, 75,490 and 64,252 with it. */
const cases = [
  { title: 'one trade', buyers: 1, sellers: 1, ceiling: 99_200 },
  { title: 'one taker who buys from ten makers', buyers: 1, sellers: 10, ceiling: 42_650 },
  { title: 'one taker who sells to ten makers', buyers: 10, sellers: 1, ceiling: 42_650 },
  { title: 'a hundred independent trades', buyers: 100, sellers: 100, ceiling: 60_980 },
  { title: 'one taker who buys from a hundred makers', buyers: 1, sellers: 100, ceiling: 37_000 },
  { title: 'one trade with a dear token', buyers: 1, sellers: 1, isDear: true, ceiling: 114_220 },
  { title: 'ten makers with a dear token', buyers: 1, sellers: 10, isDear: true, ceiling: 47_500 },
  { title: 'a hundred independent trades with a dear token', buyers: 100, sellers: 100, isDear: true, ceiling: 67_580 },
  { title: 'a hundred makers with a dear token', buyers: 1, sellers: 100, isDear: true, ceiling: 40_840 },
  // With deposits, of all traders or of the makers alone: a taker's wallet then pays or is paid once for all of them.
  { title: 'one trade between deposits', buyers: 1, sellers: 1, isDear: true, ledger: 'everybody', ceiling: 93_100 },
  { title: 'ten makers with deposits', buyers: 1, sellers: 10, isDear: true, ledger: 'makers', ceiling: 44_020 },
  {
    title: 'ten makers who buy from deposits',
    buyers: 10,
    sellers: 1,
    isDear: true,
    ledger: 'makers',
    ceiling: 40_980,
  },
  { title: 'a hundred makers with deposits', buyers: 1, sellers: 100, isDear: true, ledger: 'makers', ceiling: 36_400 },
  // With a fee of 2 %, of which makers get a quarter.
  { title: 'one trade with a fee', buyers: 1, sellers: 1, isDear: true, hasFee: true, ceiling: 139_300 },
  { title: 'ten makers with a fee', buyers: 1, sellers: 10, isDear: true, hasFee: true, ceiling: 51_700 },
  { title: 'ten makers who buy with a fee', buyers: 10, sellers: 1, isDear: true, hasFee: true, ceiling: 54_650 },
  { title: 'a hundred makers with a fee', buyers: 1, sellers: 100, isDear: true, hasFee: true, ceiling: 42_850 },
  {
    title: 'a hundred makers who buy with a fee',
    buyers: 100,
    sellers: 1,
    isDear: true,
    hasFee: true,
    ceiling: 45_600,
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
