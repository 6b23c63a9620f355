// What shares bring if they are sold now: by walking the bids of others, not by multiplying with the best one.

export interface Valuation {
  readonly value: bigint;
  /** Shares that have a bid; the others bring nothing now. */
  readonly sellable: bigint;
  /** Millionths for each of these, rounded down; 0 where no share has a bid. */
  readonly price: bigint;
}

interface Bid {
  readonly price: number | bigint;
  readonly size: number | bigint;
}

const ONE = 1_000_000n;
const CENT = 10_000n;

/** `bids` are best first. */
export function valueShares(shares: bigint, bids: readonly Bid[]): Valuation {
  let [left, value] = [shares, 0n];
  for (const { price, size } of bids) {
    if (left === 0n) break;
    const part = BigInt(size) < left ? BigInt(size) : left;
    value += (BigInt(price) * part) / ONE;
    left -= part;
  }
  const sellable = shares - left;
  return { value, sellable, price: sellable === 0n ? 0n : (value * ONE) / sellable };
}

/** Whole cents, rounded down: figures that are shown as parts of a sum are cut before they are added, so that they add up. */
export function toCents(amount: bigint): bigint {
  return amount - (((amount % CENT) + CENT) % CENT);
}

/** Whole cents, rounded to the nearest. */
export function roundToCents(amount: bigint): bigint {
  return toCents(amount + CENT / 2n);
}

/** `Only 205 of 276 have a bid`, or nothing where all have. */
export function bidsText({ sellable }: Pick<Valuation, 'sellable'>, shares: bigint, format: (size: bigint) => string) {
  if (sellable === shares) return undefined;
  return sellable === 0n ? 'no bids' : `bids for ${format(sellable)} only`;
}
