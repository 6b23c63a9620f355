// Whether the shares of every market are paid for, as the journal has it.
import type { Ledger, MarketSums } from './ledger.ts';
import { Violation } from './violation.ts';

const MILLION = 1_000_000n;

export interface SolvencyTotals {
  readonly markets: number;
  readonly yesShares: bigint;
  readonly noShares: bigint;
  readonly collateral: bigint;
  readonly bonds: bigint;
}

/** Compares the shares of every market with the collateral that backs them. */
export function checkSolvency(ledger: Pick<Ledger, 'sums' | 'payoutsOf'>): {
  readonly markets: MarketSums[];
  readonly totals: SolvencyTotals;
} {
  const markets = ledger.sums();
  for (const sums of markets) checkMarket(sums, ledger.payoutsOf(sums.marketId));
  const totals = { markets: markets.length, yesShares: 0n, noShares: 0n, collateral: 0n, bonds: 0n };
  for (const { yesShares, noShares, collateral, bonds } of markets) {
    totals.yesShares += yesShares;
    totals.noShares += noShares;
    totals.collateral += collateral;
    totals.bonds += bonds;
  }
  return { markets, totals };
}

/** Before the outcome is known either side may win; afterwards the payouts say what a share is worth. */
function checkMarket(
  { marketId, yesShares, noShares, collateral }: MarketSums,
  payouts: readonly [number, number] | undefined,
) {
  const owed =
    payouts === undefined
      ? yesShares > noShares
        ? yesShares
        : noShares
      : (yesShares * BigInt(payouts[0]) + noShares * BigInt(payouts[1])) / MILLION;
  if (owed <= collateral) return;
  throw new Violation('shares_unbacked', `market ${marketId} owes ${owed} and holds ${collateral}`);
}
