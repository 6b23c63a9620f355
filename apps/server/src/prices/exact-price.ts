// Converts the prices of sources to exact integers with eight decimals.
import { MAX_ASSET_PRICE, PRICE_DECIMALS } from '@presage/protocol';

const DECIMAL = /^(\d{1,20})(?:\.(\d{1,30}))?$/;

/** Parses a decimal text like `65000.12`, rounding halves up; undefined if it is no positive price. */
export function priceFromDecimal(text: unknown): number | undefined {
  const parts = typeof text === 'string' ? DECIMAL.exec(text) : null;
  if (parts === null) return undefined;
  const [, whole = '', decimals = ''] = parts;
  return priceFromMantissa(BigInt(whole + decimals), -decimals.length);
}

/** Converts an integer in units of 10^expo, rounding halves up. */
export function priceFromMantissa(mantissa: bigint, expo: number): number | undefined {
  if (!Number.isInteger(expo) || Math.abs(expo) > 40) return undefined;
  const shift = PRICE_DECIMALS + expo;
  const price = shift >= 0 ? mantissa * 10n ** BigInt(shift) : divideRounding(mantissa, 10n ** BigInt(-shift));
  return price > 0n && price <= BigInt(MAX_ASSET_PRICE) ? Number(price) : undefined;
}

function divideRounding(value: bigint, divisor: bigint): bigint {
  return (2n * value + divisor) / (2n * divisor);
}
