// The value of shares and the profit on them: at the best bid while a market is open, by the payout once it is resolved.
import { marksOf, type ShareMarks } from '@presage/protocol/browser';
import { type BookEvent, type Market, type OutcomeName, quoteYes } from '@presage/sdk';
import type { Holding } from '../market/use-position.ts';

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
const HALF = 500_000;

type Decided = Pick<Market, 'status' | 'winningOutcome' | 'lastYesPrice'>;
interface BothBooks {
  readonly YES: BookEvent | undefined;
  readonly NO: BookEvent | undefined;
}

/** What a share of either outcome brings now; 0 before anyone named a price. */
function marksNow({ status, winningOutcome, lastYesPrice }: Decided, { YES, NO }: BothBooks): ShareMarks {
  if (status === 'void') return { yes: HALF, no: HALF };
  if (status === 'resolved') return winningOutcome === 0 ? { yes: 1_000_000, no: 0 } : { yes: 0, no: 1_000_000 };
  const quote = quoteYes({
    yesBid: YES?.bids[0]?.price ?? 0,
    yesAsk: YES?.asks[0]?.price ?? 0,
    noBid: NO?.bids[0]?.price ?? 0,
    noAsk: NO?.asks[0]?.price ?? 0,
  });
  return marksOf(quote, Number(lastYesPrice));
}

export function toRows(holding: Holding, market: Decided | undefined, books: BothBooks): HoldingRow[] {
  const marks = market && marksNow(market, books);
  const sides = [
    { outcome: 'YES', shares: holding.yesShares, cost: holding.yesCost, mark: marks?.yes },
    { outcome: 'NO', shares: holding.noShares, cost: holding.noCost, mark: marks?.no },
  ] as const;
  return sides
    .filter(({ shares }) => shares > 0n)
    .map(({ outcome, shares, cost, mark }) => {
      const now = mark === undefined ? undefined : BigInt(mark);
      const value = now === undefined ? undefined : (shares * now) / ONE;
      const profit = value === undefined ? undefined : value - cost;
      return { outcome, shares, average: (cost * ONE) / shares, now, value, profit };
    });
}
