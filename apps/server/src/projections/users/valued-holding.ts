// A wallet's holding at what it is worth.
import { type BestPrices, type MarketId, marksOf, PRICE_SCALE, quoteYes, type ShareMarks } from '@presage/protocol';
import type { Row } from 'postgres';
import { Selection } from '../bulk-statement.ts';
import { bytes, integer, orNull, pick } from '../columns.ts';
import { MARKETS } from '../markets/market-rows.ts';
import { sharesHeld } from '../positions/position-accounting.ts';
import { POSITIONS } from '../positions/position-rows.ts';

const SCALE = BigInt(PRICE_SCALE);

const HOLDINGS = new Selection({
  ...POSITIONS.columns,
  ...pick(
    MARKETS.columns,
    'chainId',
    'question',
    'contractAddress',
    'expiration',
    'yesPayout',
    'noPayout',
    'decidedMs',
  ),
  marketId: bytes<MarketId>(),
  lastYesPrice: orNull(integer()),
});

export function toHoldingRow(row: Row) {
  const { yesPayout, noPayout, yesRevenue, noRevenue, yesShares, noShares, lastYesPrice, ...held } = HOLDINGS.read(row);
  return {
    ...held,
    yesShares: sharesHeld(yesShares),
    noShares: sharesHeld(noShares),
    /** Proceeds of shares that were sold, merged or redeemed. */
    revenue: yesRevenue + noRevenue,
    /** What a share pays, in millionths; undefined until the market is decided. */
    payouts: yesPayout === null || noPayout === null ? undefined : { yes: yesPayout, no: noPayout },
    /** YES price of the last trade; 0 before the first. */
    lastYesPrice: lastYesPrice ?? 0,
  };
}

type HoldingRow = ReturnType<typeof toHoldingRow>;

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
