// Computes the cost of an order now, fee included, from the market's book.
import {
  BUY,
  costOf,
  MAX_PRICE,
  MIN_PRICE,
  PRICE_SCALE,
  type Price,
  type Side,
  type Size,
  takerFee,
} from '@presage/protocol/browser';

export interface Quote {
  /** Shares that the book offers within the limit, in millionths; less than requested if it has no more. */
  readonly filledSize: bigint;
  /** What a buyer pays for them, or a seller receives, before the fee. */
  readonly cost: bigint;
  /** Fee of the taker: a buyer pays it on top, a seller out of the proceeds. */
  readonly fee: bigint;
  /** Millionths per share without the fee, rounded up; 0 if nothing fills. */
  readonly averagePrice: number;
  /** Price of the last level reached; 0 if nothing fills. */
  readonly worstPrice: number;
}

export interface QuoteTerms {
  readonly side: Side;
  readonly size: Size;
  /** If absent, as deep as the book goes. */
  readonly limit?: number;
}

export interface QuotedBook {
  readonly bids: readonly QuotedLevel[];
  readonly asks: readonly QuotedLevel[];
}

interface QuotedLevel {
  readonly price: number | bigint;
  readonly size: number | bigint;
}

/**
 * Computed level by level: each resting order of a level is paid by itself, which can add a unit per order to cost and
 * fee.
 */
export function quoteBook(book: QuotedBook, feeRateBps: number, terms: QuoteTerms): Quote {
  const { side, size, limit = side === BUY ? MAX_PRICE : MIN_PRICE } = terms;
  let [left, cost, fee, worstPrice] = [BigInt(size), 0n, 0n, 0];
  for (const level of side === BUY ? book.asks : book.bids) {
    // Prices and sizes of levels were checked when their orders were placed.
    const price = Number(level.price) as Price;
    if (left === 0n || (side === BUY ? price > limit : price < limit)) break;
    const part = Number(BigInt(level.size) < left ? level.size : left) as Size;
    cost += costOf(price, part);
    fee += takerFee(feeRateBps, part, price);
    left -= BigInt(part);
    worstPrice = price;
  }
  const filledSize = BigInt(size) - left;
  const averagePrice = filledSize === 0n ? 0 : Number((cost * BigInt(PRICE_SCALE) + filledSize - 1n) / filledSize);
  return { filledSize, cost, fee, averagePrice, worstPrice };
}
