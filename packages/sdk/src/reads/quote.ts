// What an order would cost now, fee included, worked out from the market's book.
import { costOf, PRICE_SCALE, type Side, type Size, takerFee, toPrice, toSize } from '@presage/protocol/browser';

export interface Quote {
  /** Shares that the book offers within the limit, in millionths; less than asked for where it has no more. */
  readonly filledSize: bigint;
  /** What a buyer pays for them, or a seller gets, before the fee. */
  readonly cost: bigint;
  /** What the taker pays beside it: a buyer on top, a seller out of what it gets. */
  readonly fee: bigint;
  /** What leaves a buyer's wallet, or reaches a seller's. */
  readonly total: bigint;
  /** Millionths a share without the fee, rounded up; 0 when nothing fills. */
  readonly averagePrice: number;
  /** The last price that it reaches; 0 when nothing fills. */
  readonly worstPrice: number;
}

export interface QuoteTerms {
  readonly side: Side;
  readonly size: Size;
  /** None: as deep as the book goes. */
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

/** Level by level: each resting order of a level is paid by itself, which can add a unit an order to cost and fee. */
export function quoteBook(book: QuotedBook, feeRateBps: number, { side, size, limit }: QuoteTerms): Quote {
  let [left, cost, fee, worstPrice] = [BigInt(size), 0n, 0n, 0];
  for (const level of side === 0 ? book.asks : book.bids) {
    const price = toPrice(Number(level.price));
    if (left === 0n || (limit !== undefined && (side === 0 ? price > limit : price < limit))) break;
    const part = toSize(Number(BigInt(level.size) < left ? level.size : left));
    cost += costOf(price, part);
    fee += takerFee(feeRateBps, part, price);
    left -= BigInt(part);
    worstPrice = price;
  }
  const filledSize = BigInt(size) - left;
  const averagePrice = filledSize === 0n ? 0 : Number((cost * BigInt(PRICE_SCALE) + filledSize - 1n) / filledSize);
  const total = side === 0 ? cost + fee : cost - fee;
  return { filledSize, cost, fee, total, averagePrice, worstPrice };
}
