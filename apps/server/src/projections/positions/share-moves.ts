// Effects on a position of share moves without a trade: transfers, splits, merges, conversions and redemptions.
import { type ClaimOutcome, NO, type Outcome, type ShareMoveCause, YES } from '@presage/protocol';
import type { ConversionPart } from './conversion-cost.ts';
import { addShares, type Holding, type Position, withShares } from './position-accounting.ts';

export interface ShareMove {
  readonly cause: ShareMoveCause | 'redemption';
  /** Shares received; below 0, shares given. */
  readonly yesShares: bigint;
  readonly noShares: bigint;
  /** Payout of a redemption; 0 otherwise. */
  readonly payout: bigint;
  /** Outcome of a redemption; null otherwise. */
  readonly winningOutcome: ClaimOutcome | null;
  /** Present only for a conversion. */
  readonly conversion?: ConversionPart | null;
  /** Number of the event's outcomes; absent for a market without an event, which has two. */
  readonly outcomeCount?: number | null;
}

/** Cost or proceeds of each outcome's part of a move. */
type Parts = readonly [yes: bigint, no: bigint];

const NOTHING: Parts = [0n, 0n];

/**
 * Applies a move without a trade:
 * - A transfer arrives at cost 0, or leaves with its part of the cost; nothing is realized.
 * - A split of n costs n, half per outcome; a merge of n brings n, half per outcome. NO takes the odd unit.
 * - A redemption brings the payout: all to the winner, or to each outcome of a void market what its shares pay.
 * - A conversion carries cost by the rule of `carriedTo`.
 *
 * So yes.cost + no.cost - realizedPnl stays the money paid in less the money received, apart from transfers.
 */
export function applyMove(position: Position, move: ShareMove): Position {
  if (move.cause === 'split') return applySplit(position, move);
  if (move.cause === 'conversion') return applyConversion(position, move);
  const revenues = revenuesOf(move);
  const yes = moveShares(position.yes, move.yesShares, revenues[YES]);
  const no = moveShares(position.no, move.noShares, revenues[NO]);
  if (move.cause === 'transfer') return { yes, no, realizedPnl: position.realizedPnl };
  const costOut = position.yes.cost + position.no.cost - yes.cost - no.cost;
  return { yes, no, realizedPnl: position.realizedPnl + revenues[YES] + revenues[NO] - costOut };
}

function applySplit(position: Position, { yesShares, noShares }: ShareMove): Position {
  const [yesCost, noCost] = halves(yesShares);
  return addShares(addShares(position, YES, yesShares, yesCost), NO, noShares, noCost);
}

/** Until the costs in the other markets are known, shares arrive at cost 0 and leave at their cost. */
function applyConversion(position: Position, move: ShareMove): Position {
  const carried = move.conversion?.carried ?? null;
  const came = ([YES, NO] as const).find((outcome) => sharesOf(move, outcome) > 0n);
  if (came !== undefined) return addShares(position, came, sharesOf(move, came), carried ?? 0n);
  const costOut = costGivenBy(position, move);
  const brought = carried ?? costOut;
  const wentNo = move.noShares < 0n;
  const yes = moveShares(position.yes, move.yesShares, wentNo ? 0n : brought);
  const no = moveShares(position.no, move.noShares, wentNo ? brought : 0n);
  return { yes, no, realizedPnl: position.realizedPnl + brought - costOut };
}

/** Cost of the shares that a move takes. */
export function costGivenBy({ yes, no }: Position, { yesShares, noShares }: ShareMove): bigint {
  const left = (holding: Holding, delta: bigint) =>
    delta < 0n ? withShares(holding, holding.shares + delta) : holding;
  return yes.cost + no.cost - left(yes, yesShares).cost - left(no, noShares).cost;
}

function sharesOf({ yesShares, noShares }: ShareMove, outcome: Outcome): bigint {
  return outcome === YES ? yesShares : noShares;
}

function moveShares(holding: Holding, delta: bigint, revenue: bigint): Holding {
  const { shares, cost, revenue: before } = withShares(holding, holding.shares + delta);
  return { shares, cost, revenue: before + revenue };
}

function revenuesOf({ cause, yesShares, payout, winningOutcome, outcomeCount }: ShareMove): Parts {
  if (cause === 'merge') return halves(-yesShares);
  if (cause !== 'redemption') return NOTHING;
  if (winningOutcome === YES) return [payout, 0n];
  if (winningOutcome === NO) return [0n, payout];
  const yes = -yesShares / BigInt(outcomeCount ?? 2);
  return [yes, payout - yes];
}

function halves(amount: bigint): Parts {
  return [amount / 2n, amount - amount / 2n];
}
