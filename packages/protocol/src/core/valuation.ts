// Value of shares while their market trades: what the bids of others pay for them. The one definition, for service and page.
import { takerFee } from './fees.ts';
import { PRICE_SCALE, type Price } from './units.ts';

export interface Bid {
  readonly price: number | bigint;
  readonly size: number | bigint;
  /** Fee of a seller who takes the bid; 0 if absent. */
  readonly feeRateBps?: number;
}

export interface Valuation {
  /** Stablecoin units, rounded down, after the fees of selling. */
  readonly value: bigint;
  /** Shares for which there is a bid. */
  readonly sellable: bigint;
  /** Millionths per share that has a bid, rounded down; the last price if there is no bid. */
  readonly price: bigint;
}

const SCALE = BigInt(PRICE_SCALE);

/**
 * Walks the bids, best first; shares beyond them are worth nothing now. Without any bid, the last price is the price.
 */
export function valueShares(shares: bigint, bids: readonly Bid[], lastPrice: number | bigint): Valuation {
  const [best] = bids;
  if (best === undefined) {
    return { value: (shares * BigInt(lastPrice)) / SCALE, sellable: 0n, price: BigInt(lastPrice) };
  }
  let [left, paid, fees] = [shares, 0n, 0n];
  for (const { price, size, feeRateBps = 0 } of bids) {
    if (left === 0n) break;
    const part = BigInt(size) < left ? BigInt(size) : left;
    paid += BigInt(price) * part;
    // Bid prices come from orders, so they are in range.
    fees += takerFee(feeRateBps, part, Number(price) as Price);
    left -= part;
  }
  const sellable = shares - left;
  const value = paid / SCALE - fees;
  return { value: value > 0n ? value : 0n, sellable, price: sellable === 0n ? BigInt(best.price) : paid / sellable };
}
