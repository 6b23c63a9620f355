// A wallet's holding at what it is worth.
import {
  type Address,
  type BestPrices,
  type MarketId,
  marksOf,
  PRICE_SCALE,
  quoteYes,
  type ShareMarks,
} from '@presage/protocol';

const SCALE = BigInt(PRICE_SCALE);

export interface HoldingRow {
  readonly marketId: MarketId;
  readonly marketSeq: number;
  readonly chainId: number;
  readonly question: string;
  readonly contractAddress: Address;
  /** Unix seconds. */
  readonly expiration: number;
  readonly yesShares: bigint;
  readonly noShares: bigint;
  readonly yesCost: bigint;
  readonly noCost: bigint;
  /** Proceeds of shares that were sold, merged or redeemed. */
  readonly revenue: bigint;
  readonly realizedPnl: bigint;
  /** What a share pays, in millionths; undefined until the market is decided. */
  readonly payouts: ShareMarks | undefined;
  readonly decidedMs: number | null;
  /** YES price of the last trade; 0 before the first. */
  readonly lastYesPrice: number;
  readonly updatedMs: number;
}

export interface ValuedHolding extends HoldingRow {
  readonly marks: ShareMarks;
  /** Value of the shares held, rounded down. */
  readonly value: bigint;
  /** Since the first trade there: realized, and value less cost. */
  readonly pnl: bigint;
}

/** Values a share at its payout in a decided market, else at the best bid, else at the last trade. */
export function valueHolding(row: HoldingRow, best: BestPrices): ValuedHolding {
  const marks = row.payouts ?? marksOf(quoteYes(best), row.lastYesPrice);
  const value = sharesValue(row, marks);
  return { ...row, marks, value, pnl: row.realizedPnl + value - row.yesCost - row.noCost };
}

export function sharesValue(
  { yesShares, noShares }: Pick<HoldingRow, 'yesShares' | 'noShares'>,
  marks: ShareMarks,
): bigint {
  return (yesShares * BigInt(marks.yes) + noShares * BigInt(marks.no)) / SCALE;
}
