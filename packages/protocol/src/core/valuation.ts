// What shares are worth while their market trades: what the bids of others pay for them. The one definition, for service and page.
import { PRICE_SCALE } from './units.ts';

export interface Bid {
  readonly price: number | bigint;
  readonly size: number | bigint;
}

export interface Valuation {
  /** Stablecoin units, rounded down. */
  readonly value: bigint;
  /** Shares that have a bid. */
  readonly sellable: bigint;
  /** Millionths for each share that has a bid, rounded down; the last price where none has. */
  readonly price: bigint;
}

const SCALE = BigInt(PRICE_SCALE);

/** Walks the bids, best first; shares beyond them bring nothing now. Where nobody bids at all, the last price stands. */
export function valueShares(shares: bigint, bids: readonly Bid[], lastPrice: number | bigint): Valuation {
  const [best] = bids;
  if (best === undefined) {
    return { value: (shares * BigInt(lastPrice)) / SCALE, sellable: 0n, price: BigInt(lastPrice) };
  }
  let [left, paid] = [shares, 0n];
  for (const { price, size } of bids) {
    if (left === 0n) break;
    const part = BigInt(size) < left ? BigInt(size) : left;
    paid += BigInt(price) * part;
    left -= part;
  }
  const sellable = shares - left;
  return { value: paid / SCALE, sellable, price: sellable === 0n ? BigInt(best.price) : paid / sellable };
}
