// What shares that came or went on chain without a trade do to a position: transfers, splits, merges and redemptions.
import { type ClaimOutcome, NO, type ShareMoveCause, YES } from '@presage/protocol';
import { addShares, type Holding, type Position, withShares } from './position-accounting.ts';

export interface ShareMove {
  readonly cause: ShareMoveCause | 'redemption';
  /** What came; below 0, what went. */
  readonly yesShares: bigint;
  readonly noShares: bigint;
  /** Payout of a redemption; 0 otherwise. */
  readonly payout: bigint;
  /** Outcome of a redemption; null otherwise. */
  readonly winningOutcome: ClaimOutcome | null;
}

/** What each outcome's part of a move costs, or brings. */
type Parts = readonly [yes: bigint, no: bigint];

const NOTHING: Parts = [0n, 0n];

/**
 * - A transfer arrives at cost 0 or leaves with its part of the cost, and nothing is realized.
 * - A split of n costs n, half for each outcome; a merge of n brings n, half for each. NO takes the odd unit of both.
 * - A redemption brings the payout: all of it to the winner, or to each outcome of a void market what its shares pay.
 *
 * So yes.cost + no.cost - realizedPnl stays the money paid in net of what came out, transfers aside.
 */
export function applyMove(position: Position, move: ShareMove): Position {
  if (move.cause === 'split') return applySplit(position, move);
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

function moveShares(holding: Holding, delta: bigint, revenue: bigint): Holding {
  const { shares, cost, revenue: before } = withShares(holding, holding.shares + delta);
  return { shares, cost, revenue: before + revenue };
}

function revenuesOf({ cause, yesShares, payout, winningOutcome }: ShareMove): Parts {
  if (cause === 'merge') return halves(-yesShares);
  if (cause !== 'redemption') return NOTHING;
  if (winningOutcome === YES) return [payout, 0n];
  if (winningOutcome === NO) return [0n, payout];
  const yes = -yesShares / 2n;
  return [yes, payout - yes];
}

function halves(amount: bigint): Parts {
  return [amount / 2n, amount - amount / 2n];
}
