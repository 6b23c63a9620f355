// The portfolio as figures: where the money is, what is open, what is over, and what each brought. All of it as the service says.
import type { OutcomeName, UserPosition, UserStatistics, WalletBalances } from '@presage/sdk';
import { outcomeOf, outcomeText } from './outcomes.ts';

const ONE = 1_000_000n;

export interface OpenRow {
  readonly marketId: string;
  readonly question: string;
  readonly kind: UserPosition['kind'];
  readonly outcome: OutcomeName;
  readonly shares: bigint;
  /** Millionths a share. */
  readonly average: bigint;
  readonly now: bigint;
  readonly value: bigint;
  readonly profit: bigint;
  readonly cost: bigint;
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
  /** Part of `got` that waits to be redeemed. */
  readonly waiting: bigint;
}

export type Equity = ReturnType<typeof toEquity>;

export function isDecided({ status }: Pick<UserPosition, 'status'>): boolean {
  return status === 'resolved' || status === 'void';
}

export function hasShares({ yesShares, noShares }: UserPosition): boolean {
  return BigInt(yesShares) > 0n || BigInt(noShares) > 0n;
}

/** Everything that was ever paid for a position. */
export function paidOf({ totalInvested, revenue, realizedPnl }: UserPosition): bigint {
  return BigInt(totalInvested) + BigInt(revenue) - BigInt(realizedPnl);
}

/** Shares of markets that are not decided: a lost market is over, whatever is still held of it. */
export function toOpenRows(positions: readonly UserPosition[], pending: ReadonlySet<string>): OpenRow[] {
  return positions.filter((position) => !isDecided(position)).flatMap((position) => rowsOf(position, pending));
}

function rowsOf(position: UserPosition, pending: ReadonlySet<string>): OpenRow[] {
  const value = BigInt(position.value);
  const [yesShares, noShares] = [BigInt(position.yesShares), BigInt(position.noShares)];
  // What is rounded down once for both must not be rounded twice.
  const yesValue = noShares === 0n ? value : (yesShares * BigInt(position.yesPrice)) / ONE;
  const { marketId, marketQuestion: question, kind } = position;
  const market = { marketId, question, kind, closes: Number(position.expiration), isPending: pending.has(marketId) };
  const side = (outcome: OutcomeName, shares: bigint, cost: bigint, now: bigint, worth: bigint): OpenRow[] =>
    shares === 0n
      ? []
      : [{ ...market, outcome, shares, cost, now, value: worth, profit: worth - cost, average: (cost * ONE) / shares }];
  return [
    ...side('YES', yesShares, BigInt(position.yesCost), BigInt(position.yesPrice), yesValue),
    ...side('NO', noShares, BigInt(position.noCost), BigInt(position.noPrice), value - yesValue),
  ];
}

/** Decided markets, and those of which nothing is held any more; the last one first. */
export function toClosedRows(positions: readonly UserPosition[]): ClosedRow[] {
  return positions
    .filter((position) => isDecided(position) || !hasShares(position))
    .sort((a, b) => b.lastUpdated - a.lastUpdated)
    .map((position) => {
      const waiting = isDecided(position) ? BigInt(position.value) : 0n;
      const profit = BigInt(position.pnl);
      return {
        marketId: position.marketId,
        question: position.marketQuestion,
        kind: position.kind,
        result: resultOf(position, profit),
        text: resultText(position),
        paid: paidOf(position),
        got: BigInt(position.revenue) + waiting,
        profit,
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

export function toEquity(
  balances: readonly WalletBalances[],
  positions: readonly UserPosition[],
  statistics: UserStatistics,
) {
  const sum = (chosen: readonly UserPosition[]) => chosen.reduce((total, { value }) => total + BigInt(value), 0n);
  const balance = balances.reduce((total, each) => total + BigInt(each.balance), 0n);
  const cash = balances.reduce((total, each) => total + BigInt(each.available), 0n);
  const inPositions = sum(positions.filter((position) => !isDecided(position)));
  const toRedeem = sum(positions.filter(isDecided));
  return {
    total: balance + inPositions + toRedeem,
    cash,
    positions: inPositions,
    toRedeem,
    reserved: balance - cash,
    profit: BigInt(statistics.pnl),
    realized: BigInt(statistics.realized_pnl),
    unrealized: BigInt(statistics.unrealized_pnl),
    /** 100 x profit / everything ever paid. */
    percentage: statistics.pnl_percentage,
  };
}
