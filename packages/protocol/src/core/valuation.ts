// What shares are worth while their market trades: what the bids of others pay for them. The one definition, for service and page.
import { takerFee } from './fees.ts';
import { PRICE_SCALE, type Price } from './units.ts';

export interface Bid {
  readonly price: number | bigint;
  readonly size: number | bigint;
  /** What a seller who takes it pays; nothing by default. */
  readonly feeRateBps?: number;
}

export interface Valuation {
  /** Stablecoin units, rounded down, less the fees of selling. */
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
  let [left, paid, fees] = [shares, 0n, 0n];
  for (const { price, size, feeRateBps = 0 } of bids) {
    if (left === 0n) break;
    const part = BigInt(size) < left ? BigInt(size) : left;
    paid += BigInt(price) * part;
    // Bids have prices of orders.
    fees += takerFee(feeRateBps, part, Number(price) as Price);
    left -= part;
  }
  const sellable = shares - left;
  const value = paid / SCALE - fees;
  return { value: value > 0n ? value : 0n, sellable, price: sellable === 0n ? BigInt(best.price) : paid / sellable };
}
