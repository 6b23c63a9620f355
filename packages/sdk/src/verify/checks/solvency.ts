// Checks, from the journal alone, that the shares of every market and event are backed by collateral.
import { type MarketId, type MarketResolution, PRICE_SCALE } from '@presage/protocol';
import type { Ledger, MarketSums } from './ledger.ts';
import { Violation } from './violation.ts';

export interface SolvencyTotals {
  readonly markets: number;
  readonly yesShares: bigint;
  readonly noShares: bigint;
  readonly collateral: bigint;
  readonly bonds: bigint;
}

/** Compares the shares of every market and of every event with the collateral that backs them. */
export function checkSolvency(ledger: Pick<Ledger, 'sums' | 'resolutionOf' | 'markets'>): {
  readonly markets: MarketSums[];
  readonly totals: SolvencyTotals;
} {
  const markets = ledger.sums();
  const eventOf = new Map(ledger.markets.map(({ marketId, event }) => [marketId, event]));
  const events = new Map<string, MarketSums[]>();
  for (const sums of markets) {
    const event = eventOf.get(sums.marketId);
    if (event === undefined) checkMarket(sums, ledger.resolutionOf(sums.marketId));
    else events.set(event.id, [...(events.get(event.id) ?? []), sums]);
  }
  for (const [id, outcomes] of events) {
    const count = eventOf.get(outcomes[0]!.marketId)?.count ?? outcomes.length;
    checkEvent({ id, count, outcomes }, (marketId) => ledger.resolutionOf(marketId));
  }
  const totals = { markets: markets.length, yesShares: 0n, noShares: 0n, collateral: 0n, bonds: 0n };
  for (const { yesShares, noShares, collateral, bonds } of markets) {
    totals.yesShares += yesShares;
    totals.noShares += noShares;
    totals.collateral += collateral;
    totals.bonds += bonds;
  }
  return { markets, totals };
}

/** Before the outcome is known either side may win; afterwards the payouts determine the value of a share. */
function checkMarket(sums: MarketSums, resolution: MarketResolution | undefined): void {
  const { marketId, yesShares, noShares, collateral } = sums;
  const owed = resolution?.payouts === undefined ? larger(yesShares, noShares) : paidFor(sums, resolution);
  if (owed <= collateral) return;
  throw new Violation('shares_unbacked', `market ${marketId} owes ${owed} and holds ${collateral}`);
}

interface EventSums {
  readonly id: string;
  /** Number of outcomes, listed or not. */
  readonly count: number;
  readonly outcomes: readonly MarketSums[];
}

/**
 * One collateral backs all outcomes: if an outcome wins, its YES and the NO of all others must be paid. An unlisted
 * outcome has no shares here.
 */
function checkEvent({ id, count, outcomes }: EventSums, resolutionOf: (id: MarketId) => MarketResolution | undefined) {
  const collateral = outcomes.reduce((sum, each) => sum + each.collateral, 0n);
  const allNo = outcomes.reduce((sum, { noShares }) => sum + noShares, 0n);
  const margins = outcomes.map(({ yesShares, noShares }) => yesShares - noShares);
  const isDecided = outcomes.every(({ marketId }) => resolutionOf(marketId)?.payouts !== undefined);
  const owed = isDecided
    ? outcomes.reduce((sum, each) => sum + paidFor(each, resolutionOf(each.marketId)), 0n)
    : allNo + (outcomes.length < count ? [0n, ...margins] : margins).reduce(larger);
  if (owed <= collateral) return;
  throw new Violation('shares_unbacked', `event ${id} owes ${owed} and holds ${collateral}`);
}

function paidFor({ yesShares, noShares }: MarketSums, resolution: MarketResolution | undefined): bigint {
  const { payouts = [0, 0], payoutDenominator = PRICE_SCALE } = resolution ?? {};
  return (yesShares * BigInt(payouts[0]) + noShares * BigInt(payouts[1])) / BigInt(payoutDenominator);
}

function larger(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}
