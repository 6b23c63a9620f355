// Rounds amounts that are shown as parts of a sum, and says where bids are missing.
import type { Valuation } from '@presage/protocol/browser';

const CENT = 10_000n;

/** Whole cents, rounded down: figures that are shown as parts of a sum are cut before they are added, so that they add up. */
export function toCents(amount: bigint): bigint {
  return amount - (((amount % CENT) + CENT) % CENT);
}

/** Whole cents, rounded to the nearest. */
export function roundToCents(amount: bigint): bigint {
  return toCents(amount + CENT / 2n);
}

/** `bids for 205 only`, or nothing where all have one. */
export function bidsText(
  { sellable, value }: Pick<Valuation, 'sellable' | 'value'>,
  shares: bigint,
  format: (size: bigint) => string,
): string | undefined {
  if (sellable === shares) return undefined;
  if (sellable > 0n) return `bids for ${format(sellable)} only`;
  return value > 0n ? 'no bids, last price' : 'no bids';
}
