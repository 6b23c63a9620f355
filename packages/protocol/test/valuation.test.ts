import { describe, expect, it } from 'vitest';
import { valueShares } from '../src/core/valuation.ts';

describe('the value of shares', () => {
  const BIDS = [
    { price: 350_000, size: 5_000_000 },
    { price: 10_000, size: 200_000_000 },
  ];

  it('is what walking the bids pays', () => {
    expect(valueShares(5_000_000n, BIDS, 900_000)).toEqual({
      value: 1_750_000n,
      sellable: 5_000_000n,
      price: 350_000n,
    });
    expect(valueShares(25_000_000n, BIDS, 900_000)).toEqual({
      value: 1_950_000n,
      sellable: 25_000_000n,
      price: 78_000n,
    });
  });

  it('counts nothing for shares beyond the last bid', () => {
    expect(valueShares(276_000_000n, BIDS, 900_000)).toEqual({
      value: 3_750_000n,
      sellable: 205_000_000n,
      price: 18_292n,
    });
  });

  it('is the last price where nobody bids', () => {
    expect(valueShares(3_000_000n, [], 333_333)).toEqual({ value: 999_999n, sellable: 0n, price: 333_333n });
    expect(valueShares(3_000_000n, [], 0)).toEqual({ value: 0n, sellable: 0n, price: 0n });
  });

  it('has the best bid as the price of no shares', () => {
    expect(valueShares(0n, BIDS, 900_000)).toEqual({ value: 0n, sellable: 0n, price: 350_000n });
  });

  it('rounds down once, and takes sizes past 2^53', () => {
    const bids = [
      { price: 1, size: 1_500_000 },
      { price: 1, size: 2n ** 60n },
    ];
    expect(valueShares(2_000_000n, bids, 0).value).toBe(2n);
    expect(valueShares(2n ** 60n, bids, 0).sellable).toBe(2n ** 60n);
  });

  it('is less by the fee that its seller would pay, never below nothing', () => {
    const charging = BIDS.map((bid) => ({ ...bid, feeRateBps: 200 }));
    const [free, charged] = [BIDS, charging].map((bids) => valueShares(5_000_000n, bids, 0));
    const { price } = BIDS[0]!;
    const fee = (200n * 5_000_000n * BigInt(price) * (1_000_000n - BigInt(price))) / 10n ** 16n;
    expect(charged).toEqual({ ...free, value: free!.value - fee });
    expect(valueShares(1n, [{ price: 1, size: 1, feeRateBps: 700 }], 0).value).toBe(0n);
  });
});
