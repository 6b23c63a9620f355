// The ledgers of several partitions as one; each market is in one of them.
import type { Ledger } from './checks/ledger.ts';

/** Reads of a ledger that checks of the whole exchange need. */
export type LedgerReads = Pick<Ledger, 'markets' | 'trades' | 'sums' | 'resolutionOf' | 'conversions' | 'isClosed'>;

export function joinLedgers(ledgers: readonly Ledger[]): LedgerReads {
  return {
    markets: ledgers.flatMap(({ markets }) => markets),
    *trades() {
      for (const ledger of ledgers) yield* ledger.trades();
    },
    isClosed: (marketId) => ledgers.some((ledger) => ledger.isClosed(marketId)),
    sums: () => ledgers.flatMap((ledger) => ledger.sums()),
    *conversions() {
      for (const ledger of ledgers) yield* ledger.conversions();
    },
    resolutionOf: (marketId) => {
      for (const ledger of ledgers) {
        const resolution = ledger.resolutionOf(marketId);
        if (resolution !== undefined) return resolution;
      }
      return undefined;
    },
  };
}
