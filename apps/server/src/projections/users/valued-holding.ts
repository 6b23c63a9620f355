// A wallet's holding at what it is worth.
import { type Bid, type MarketId, NO, type Outcome, PRICE_SCALE, valueShares, YES } from '@presage/protocol';
import type { Row } from 'postgres';
import { Selection } from '../bulk-statement.ts';
import { bytes, integer, orNull, pick } from '../columns.ts';
import { MARKETS } from '../markets/market-rows.ts';
import { sharesHeld } from '../positions/position-accounting.ts';
import { POSITIONS } from '../positions/position-rows.ts';

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
    'payoutDenominator',
    'decidedMs',
  ),
  marketId: bytes<MarketId>(),
  lastYesPrice: orNull(integer()),
});

export function toHoldingRow(row: Row) {
  const { yesPayout, noPayout, payoutDenominator, yesRevenue, noRevenue, ...rest } = HOLDINGS.read(row);
  const { yesShares, noShares, lastYesPrice, ...held } = rest;
  const isDecided = yesPayout !== null && noPayout !== null;
  return {
    ...held,
    yesShares: sharesHeld(yesShares),
    noShares: sharesHeld(noShares),
    /** Proceeds of shares that were sold, merged or redeemed. */
    revenue: yesRevenue + noRevenue,
    /** What a share pays; undefined until the market is decided. */
    payouts: isDecided ? { yes: yesPayout, no: noPayout, scale: payoutDenominator } : undefined,
    /** YES price of the last trade; 0 before the first. */
    lastYesPrice: lastYesPrice ?? 0,
  };
}

type HoldingRow = ReturnType<typeof toHoldingRow>;

/** What others bid for shares of an outcome, best first. */
export type BidsOf = (marketId: MarketId, outcome: Outcome) => readonly Bid[];

export interface ShareMarks {
  readonly yes: number;
  readonly no: number;
  /** What the figures are parts of; millionths where it is missing. */
  readonly scale?: number;
}

export interface ValuedHolding extends HoldingRow {
  /** What a share is worth: its payout in a decided market, else what its bids pay for each, else the last price. */
  readonly marks: ShareMarks;
  /** Shares that others bid for now. */
  readonly yesSellable: bigint;
  readonly noSellable: bigint;
  readonly yesValue: bigint;
  readonly noValue: bigint;
  /** Value of the shares held, rounded down: the sum of both. */
  readonly value: bigint;
  /** Since the first trade there: realized, and value less cost. */
  readonly pnl: bigint;
}

export function valueHolding(row: HoldingRow, bidsOf: BidsOf): ValuedHolding {
  const worth = row.payouts === undefined ? atBids(row, bidsOf) : atPayouts(row, row.payouts);
  const value = worth.yesValue + worth.noValue;
  return { ...row, ...worth, value, pnl: row.realizedPnl + value - row.yesCost - row.noCost };
}

type OpenShares = Pick<HoldingRow, 'marketId' | 'yesShares' | 'noShares'> & { readonly lastYesPrice: number | null };

/** What the shares of a market that is not decided are worth; counts below 0 are none. */
export function toOpenValue({ yesShares, noShares, lastYesPrice, ...row }: OpenShares, bidsOf: BidsOf): bigint {
  const shares = { yesShares: sharesHeld(yesShares), noShares: sharesHeld(noShares) };
  const { yesValue, noValue } = atBids({ ...row, ...shares, lastYesPrice: lastYesPrice ?? 0 }, bidsOf);
  return yesValue + noValue;
}

function atBids(
  {
    marketId,
    yesShares,
    noShares,
    lastYesPrice,
  }: Pick<HoldingRow, 'marketId' | 'yesShares' | 'noShares' | 'lastYesPrice'>,
  bidsOf: BidsOf,
) {
  const lastNoPrice = lastYesPrice === 0 ? 0 : PRICE_SCALE - lastYesPrice;
  const yes = valueShares(yesShares, bidsOf(marketId, YES), lastYesPrice);
  const no = valueShares(noShares, bidsOf(marketId, NO), lastNoPrice);
  return {
    marks: { yes: Number(yes.price), no: Number(no.price) },
    yesSellable: yes.sellable,
    noSellable: no.sellable,
    yesValue: yes.value,
    noValue: no.value,
  };
}

/** Rounded once, as the contract pays. */
function atPayouts(row: HoldingRow, marks: ShareMarks) {
  const yesValue = sharesValue({ ...row, noShares: 0n }, marks);
  const noValue = sharesValue(row, marks) - yesValue;
  return { marks: toMillionths(marks), yesSellable: 0n, noSellable: 0n, yesValue, noValue };
}

/** Rounded down. */
function toMillionths({ yes, no, scale = PRICE_SCALE }: ShareMarks): ShareMarks {
  const convert = (part: number) => Math.floor((part * PRICE_SCALE) / scale);
  return { yes: convert(yes), no: convert(no) };
}

export function sharesValue(
  { yesShares, noShares }: Pick<HoldingRow, 'yesShares' | 'noShares'>,
  marks: ShareMarks,
): bigint {
  return (yesShares * BigInt(marks.yes) + noShares * BigInt(marks.no)) / BigInt(marks.scale ?? PRICE_SCALE);
}
