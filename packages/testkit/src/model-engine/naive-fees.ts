// A reference implementation of fees with fractions of plain bigints, to which tests compare the protocol's arithmetic.
import type { FeeRates, FillFees } from '@presage/protocol/engine-types';

export function naiveFees(rates: FeeRates, size: number, price: number): FillFees {
  const numerator = BigInt(rates.feeRateBps ?? 0) * BigInt(size) * BigInt(price) * (1_000_000n - BigInt(price));
  const denominator = 10_000n * 1_000_000n * 1_000_000n;
  const whole = numerator / denominator;
  const fee = numerator % denominator === 0n ? whole : whole + 1n;
  const rebate = (fee * BigInt(rates.makerShareBps ?? 0)) / 10_000n;
  return {
    ...(fee > 0n && { fee: Number(fee) }),
    ...(rebate > 0n && { makerRebate: Number(rebate) }),
  };
}
