// Figures of the portfolio: equity, open and closed positions, their profit. Parts of a sum are whole cents, so that they add up as shown.
import type { OutcomeName, UserPosition, UserStatistics, WalletBalances } from '@presage/sdk';
import { outcomeOf, outcomeText } from './outcomes.ts';
import { roundToCents, toCents } from './valuation.ts';

const ONE = 1_000_000n;

export interface OpenRow {
  readonly marketId: string;
  readonly question: string;
  /** The event of which the market is an outcome, if any. */
  readonly event: UserPosition['event'];
  readonly kind: UserPosition['kind'];
  readonly outcome: OutcomeName;
  readonly shares: bigint;
  /** Average price paid, in millionths per share. */
  readonly average: bigint;
  /** Average bid for the shares that have one, in millionths; the last price if none has. */
  readonly now: bigint;
  /** Rounded down to whole cents. */
  readonly value: bigint;
  /** Shares that have a bid; all shares once trading is over. */
  readonly sellable: bigint;
  /** Rounded to whole cents. */
  readonly profit: bigint;
  readonly cost: bigint;
  readonly isTrading: boolean;
  /** Unix seconds. */
  readonly closes: number;
  readonly isPending: boolean;
}

type Result = 'won' | 'lost' | 'void' | 'sold';

export interface ClosedRow {
  readonly marketId: string;
  readonly question: string;
  readonly kind: UserPosition['kind'];
  readonly result: Result;
  /** `YES won`, `Void`, `Sold`. */
  readonly text: string;
  readonly paid: bigint;
  readonly got: bigint;
  readonly profit: bigint;
  /** Part of `got` that is not redeemed yet. */
  readonly waiting: bigint;
}

export type Equity = ReturnType<typeof toEquity>;

export function isDecided({ status }: Pick<UserPosition, 'status'>): boolean {
  return status === 'resolved' || status === 'void';
}

export function hasShares({ yesShares, noShares }: UserPosition): boolean {
  return BigInt(yesShares) > 0n || BigInt(noShares) > 0n;
}

/** Total ever paid for a position. */
export function paidOf({ totalInvested, revenue, realizedPnl }: UserPosition): bigint {
  return BigInt(totalInvested) + BigInt(revenue) - BigInt(realizedPnl);
}

/** Rows for shares of undecided markets. A decided market is closed, even if lost shares are still held. */
export function toOpenRows(positions: readonly UserPosition[], pending: ReadonlySet<string>): OpenRow[] {
  const rowsOf = (position: UserPosition): OpenRow[] => {
    const { marketId, marketQuestion: question, kind, event } = position;
    const isTrading = position.status === 'open';
    const closes = Number(position.expiration);
    const market = { marketId, question, event, kind, closes, isTrading, isPending: pending.has(marketId) };
    return (['YES', 'NO'] as const).flatMap((outcome) => {
      const { shares, cost, mark, value, sellable } = sideOf(position, outcome);
      if (shares === 0n) return [];
      // There are no bids once trading is over: the last price values the shares until the result.
      const worth = { value: toCents(value), sellable: isTrading ? sellable : shares, now: mark };
      return [
        {
          ...market,
          outcome,
          shares,
          cost,
          average: (cost * ONE) / shares,
          ...worth,
          profit: roundToCents(value - cost),
        },
      ];
    });
  };
  return positions.filter((position) => !isDecided(position)).flatMap(rowsOf);
}

function sideOf(position: UserPosition, outcome: OutcomeName) {
  const { yesShares, yesCost, yesPrice, yesValue, yesSellable } = position;
  const { noShares, noCost, noPrice, noValue, noSellable } = position;
  const [shares, cost, mark, value, sellable] =
    outcome === 'YES'
      ? [yesShares, yesCost, yesPrice, yesValue, yesSellable]
      : [noShares, noCost, noPrice, noValue, noSellable];
  return {
    shares: BigInt(shares),
    cost: BigInt(cost),
    mark: BigInt(mark),
    value: BigInt(value),
    sellable: BigInt(sellable),
  };
}

/** Rows for decided markets and for markets without shares, the latest first. */
export function toClosedRows(positions: readonly UserPosition[]): ClosedRow[] {
  return positions
    .filter((position) => isDecided(position) || !hasShares(position))
    .sort((a, b) => b.lastUpdated - a.lastUpdated)
    .map((position) => {
      const waiting = isDecided(position) ? BigInt(position.value) : 0n;
      const [paid, got] = [roundToCents(paidOf(position)), roundToCents(BigInt(position.revenue) + waiting)];
      return {
        marketId: position.marketId,
        question: position.marketQuestion,
        kind: position.kind,
        result: resultOf(position, BigInt(position.pnl)),
        text: resultText(position),
        paid,
        got,
        profit: got - paid,
        waiting,
      };
    });
}

function resultOf(position: UserPosition, profit: bigint): Result {
  if (position.status === 'void') return 'void';
  if (position.status !== 'resolved') return 'sold';
  return profit >= 0n ? 'won' : 'lost';
}

function resultText({ status, winningOutcome, kind }: UserPosition): string {
  if (status === 'void') return 'Void';
  if (status !== 'resolved') return 'Sold';
  return `${outcomeText(outcomeOf(winningOutcome), kind)} won`;
}

/** Money that no order reserves: orders reserve from the larger of balance and deposit, so the smaller one is free. */
function freeOf({ available, balance, deposited = '0' }: WalletBalances): bigint {
  const [one, other] = [BigInt(balance), BigInt(deposited)];
  return BigInt(available) + (one < other ? one : other);
}

function ownedOf({ balance, deposited = '0', unsettled = '0' }: WalletBalances): bigint {
  return BigInt(balance) + BigInt(deposited) + BigInt(unsettled);
}

export function toEquity(
  balances: readonly WalletBalances[],
  positions: readonly UserPosition[],
  open: readonly OpenRow[],
  statistics: UserStatistics,
) {
  const sum = (amounts: readonly bigint[]) => amounts.reduce((total, amount) => total + amount, 0n);
  const free = sum(balances.map(freeOf));
  const cash = toCents(free);
  // An unsettled fill already counts among the positions, so its money must count here.
  const owned = sum(balances.map(ownedOf));
  // Computed as the remainder, so that the parts add up to what the wallet has.
  const reserved = toCents(owned) - cash;
  const inPositions = sum(open.map(({ value }) => value));
  const toRedeem = toCents(sum(positions.filter(isDecided).map(({ value }) => BigInt(value))));
  const realized = roundToCents(BigInt(statistics.realized_pnl));
  const unrealized = sum(open.map(({ profit }) => profit));
  const [total, profit] = [cash + reserved + inPositions + toRedeem, realized + unrealized];
  return {
    total,
    cash,
    positions: inPositions,
    toRedeem,
    reserved,
    profit,
    realized,
    unrealized,
    /** Profit in percent of the money put in, which is the equity without the profit. */
    percentage: total > profit ? Number((profit * 10_000n) / (total - profit)) / 100 : undefined,
  };
}
