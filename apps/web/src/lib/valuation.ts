// Rounds amounts that are shown as parts of a sum, and describes missing bids.
import type { Valuation } from '@presage/protocol/browser';

const CENT = 10_000n;

/** Rounds down to whole cents. Figures that are shown as parts of a sum are rounded before they are added, so that they add up. */
export function toCents(amount: bigint): bigint {
  return amount - (((amount % CENT) + CENT) % CENT);
}

/** Rounds to the nearest whole cent. */
export function roundToCents(amount: bigint): bigint {
  return toCents(amount + CENT / 2n);
}

/** `bids for 205 only`; undefined if all shares have a bid. */
export function bidsText(
  { sellable, value }: Pick<Valuation, 'sellable' | 'value'>,
  shares: bigint,
  format: (size: bigint) => string,
): string | undefined {
  if (sellable === shares) return undefined;
  if (sellable > 0n) return `bids for ${format(sellable)} only`;
  return value > 0n ? 'no bids, last price' : 'no bids';
}
