// The value of shares and the profit on them: by the last trade while a market is open, by the payout once it is resolved.
import type { Market, OutcomeName } from '@presage/sdk';
import type { Holding } from '../state/use-position.ts';

export interface HoldingRow {
  readonly outcome: OutcomeName;
  readonly shares: bigint;
  /** Millionths a share. */
  readonly average: bigint;
  readonly now: bigint | undefined;
  readonly value: bigint | undefined;
  readonly profit: bigint | undefined;
}

const ONE = 1_000_000n;

export type Pricing = Pick<Market, 'status' | 'winningOutcome' | 'lastYesPrice'>;

/** Undefined before the first trade. */
function priceNow(market: Pricing, outcome: OutcomeName): bigint | undefined {
  if (market.status === 'void') return ONE / 2n;
  if (market.status === 'resolved') return market.winningOutcome === (outcome === 'YES' ? 0 : 1) ? ONE : 0n;
  const yes = BigInt(market.lastYesPrice);
  if (yes === 0n) return undefined;
  return outcome === 'YES' ? yes : ONE - yes;
}

export function toRows(holding: Holding, market: Pricing | undefined): HoldingRow[] {
  const sides = [
    { outcome: 'YES', shares: holding.yesShares, cost: holding.yesCost },
    { outcome: 'NO', shares: holding.noShares, cost: holding.noCost },
  ] as const;
  return sides
    .filter(({ shares }) => shares > 0n)
    .map(({ outcome, shares, cost }) => {
      const now = market && priceNow(market, outcome);
      const value = now === undefined ? undefined : (shares * now) / ONE;
      const profit = value === undefined ? undefined : value - cost;
      return { outcome, shares, average: (cost * ONE) / shares, now, value, profit };
    });
}
