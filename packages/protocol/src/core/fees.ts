// The taker's fee of a fill and the maker's rebate from it. Rates are hundredths of a percent.
import type { Side } from './order.ts';
import { type Collateral, PRICE_SCALE, type Price, type Size } from './units.ts';

/** Bounds of the rates, as the market factory enforces them: 7 % and the whole fee. */
export const MAX_FEE_RATE_BPS = 700;
export const MAX_MAKER_SHARE_BPS = 10_000;

/** Fee rates of a market, fixed when it is created; absent means 0. */
export interface FeeRates {
  readonly feeRateBps?: number;
  readonly makerShareBps?: number;
}

/** Rates in the form of records: rates of 0 are absent, and without a fee there is no maker share. */
export function toFeeRates(feeRateBps: number, makerShareBps: number): FeeRates {
  if (feeRateBps === 0) return {};
  return makerShareBps === 0 ? { feeRateBps } : { feeRateBps, makerShareBps };
}

/** Scale of the fee formula: millionths of a price, twice, and hundredths of a percent. */
const FEE_SCALE = 10n ** 16n;
const BPS = 10_000n;
const MIDDLE = PRICE_SCALE / 2;

export function isFeeRate(bps: number): boolean {
  return Number.isInteger(bps) && bps >= 0 && bps <= MAX_FEE_RATE_BPS;
}

export function isMakerShare(bps: number): boolean {
  return Number.isInteger(bps) && bps >= 0 && bps <= MAX_MAKER_SHARE_BPS;
}

/**
 * Fee of a fill: rate x size x price x (1 - price), rounded up to a unit. At most 7 % of a quarter of the size, so it
 * is a safe integer wherever the size is one, and never more than the cost of the fill.
 */
export function takerFee(rateBps: number, size: Size | bigint, price: Price): Collateral {
  if (rateBps === 0) return 0n as Collateral;
  const product = BigInt(rateBps * price) * BigInt(PRICE_SCALE - price) * BigInt(size);
  return ((product + FEE_SCALE - 1n) / FEE_SCALE) as Collateral;
}

/** The maker's part of a fee, rounded down; the rest goes to the treasury. */
export function makerRebate(fee: bigint, shareBps: number): Collateral {
  return ((fee * BigInt(shareBps)) / BPS) as Collateral;
}

/** Fees that a fill adds to its record; absent where nothing is charged. Both are safe integers, as `takerFee` is. */
export interface FillFees {
  readonly fee?: number;
  readonly makerRebate?: number;
}

const NO_FEES: FillFees = {};

export function fillFees({ feeRateBps = 0, makerShareBps = 0 }: FeeRates, size: Size, price: Price): FillFees {
  if (feeRateBps === 0) return NO_FEES;
  const fee = takerFee(feeRateBps, size, price);
  const rebate = makerRebate(fee, makerShareBps);
  return rebate === 0n ? { fee: Number(fee) } : { fee: Number(fee), makerRebate: Number(rebate) };
}

/**
 * The most that one fill of an order can cost in fees, at the price nearest to the middle that its limit allows. That is not the price at which cost and
 * fee together are highest, which is always the limit: `takerFee` at the limit is what a reserve counts.
 */
export function highestFee(rateBps: number, side: Side, size: Size, limit: Price): Collateral {
  const nearest = side === 0 ? Math.min(limit, MIDDLE) : Math.max(limit, MIDDLE);
  // Between two prices.
  return takerFee(rateBps, size, nearest as Price);
}
