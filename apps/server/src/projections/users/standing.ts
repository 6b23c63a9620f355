// How a wallet stands: its holdings at what they are worth, and its profit apart into what is certain and what is not.
import { type BestPrices, marksOf, PRICE_SCALE, quoteYes, type ShareMarks } from '@presage/protocol';
import type { HoldingRow } from './holding-queries.ts';

const SCALE = BigInt(PRICE_SCALE);

export interface ValuedHolding extends HoldingRow {
  readonly marks: ShareMarks;
  /** Of the shares held, rounded down. */
  readonly value: bigint;
  /** Since the first trade there: realized, and value less cost. */
  readonly pnl: bigint;
}

export interface UserStanding {
  /** Cost of the shares held. */
  readonly invested: bigint;
  /** Cost of the shares that were sold, merged or redeemed: what they brought, less the profit on them. */
  readonly soldCost: bigint;
  readonly value: bigint;
  /** Sold, merged or redeemed, and all of a decided market: a lost share stays lost, no matter who holds it. */
  readonly realizedPnl: bigint;
  readonly unrealizedPnl: bigint;
}

/** At what a share pays in a decided market, else at the best bid, else at what the last trade says. */
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

export function sumStanding(holdings: readonly ValuedHolding[]): UserStanding {
  let [invested, soldCost, value, realizedPnl, unrealizedPnl] = [0n, 0n, 0n, 0n, 0n];
  for (const each of holdings) {
    const certain = each.payouts === undefined ? each.realizedPnl : each.pnl;
    invested += each.yesCost + each.noCost;
    soldCost += each.revenue - each.realizedPnl;
    value += each.value;
    realizedPnl += certain;
    unrealizedPnl += each.pnl - certain;
  }
  return { invested, soldCost, value, realizedPnl, unrealizedPnl };
}
