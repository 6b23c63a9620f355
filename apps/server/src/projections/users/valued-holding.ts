// A wallet's holding and its value.
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
    /** Proceeds of shares sold, merged or redeemed. */
    revenue: yesRevenue + noRevenue,
    /** Payouts per share; undefined until the market is decided. */
    payouts: isDecided ? { yes: yesPayout, no: noPayout, scale: payoutDenominator } : undefined,
    /** YES price of the last trade; 0 before the first. */
    lastYesPrice: lastYesPrice ?? 0,
  };
}

type HoldingRow = ReturnType<typeof toHoldingRow>;

/** Bids of other wallets for shares of an outcome, best first. */
export type BidsOf = (marketId: MarketId, outcome: Outcome) => readonly Bid[];

export interface ShareMarks {
  readonly yes: number;
  readonly no: number;
  /** Denominator of the figures; a million if absent. */
  readonly scale?: number;
}

export interface ValuedHolding extends HoldingRow {
  /**
   * Value per share: its payout in a decided market, otherwise the average of the bids it could be sold to, otherwise
   * the last price.
   */
  readonly marks: ShareMarks;
  /** Shares that other wallets currently bid for. */
  readonly yesSellable: bigint;
  readonly noSellable: bigint;
  readonly yesValue: bigint;
  readonly noValue: bigint;
  /** Value of the shares held, rounded down: `yesValue` plus `noValue`. */
  readonly value: bigint;
  /** Profit since the first trade: realized, plus value less cost. */
  readonly pnl: bigint;
}

export function valueHolding(row: HoldingRow, bidsOf: BidsOf): ValuedHolding {
  const worth = row.payouts === undefined ? atBids(row, bidsOf) : atPayouts(row, row.payouts);
  const value = worth.yesValue + worth.noValue;
  return { ...row, ...worth, value, pnl: row.realizedPnl + value - row.yesCost - row.noCost };
}

type OpenShares = Pick<HoldingRow, 'marketId' | 'yesShares' | 'noShares'> & { readonly lastYesPrice: number | null };

/** Value of shares in an undecided market; negative counts are worth nothing. */
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

/** Rounded once, like the contract's payout. */
function atPayouts(row: HoldingRow, marks: ShareMarks) {
  const yesValue = sharesValue({ ...row, noShares: 0n }, marks);
  const noValue = sharesValue(row, marks) - yesValue;
  return { marks: toMillionths(marks), yesSellable: 0n, noSellable: 0n, yesValue, noValue };
}

/** Converts the figures to millionths, rounded down. */
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
