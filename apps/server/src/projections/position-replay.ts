// Reckons a position anew from its facts: fills in journal order, and what was read from the chain between them.
import { applyFill, EMPTY_POSITION, type Fill, type Position, replaceShares } from './position-accounting.ts';

export interface FillFact extends Fill {
  /** Journal sequence of the trade. */
  readonly seq: number;
  /** Block the trade stands in; undefined while it stands in none. */
  readonly minedAt?: number;
}

/** The chain's balances at a block, journalled at `seq`. */
export interface SyncFact {
  readonly seq: number;
  readonly blockNumber: number;
  readonly yesShares: bigint;
  readonly noShares: bigint;
}

export interface PositionFacts {
  /** In journal order; of a trade with oneself the sale comes first, as on chain. Failed trades are left out. */
  readonly fills: readonly FillFact[];
  /** In journal order. */
  readonly syncs: readonly SyncFact[];
  /** What earlier facts came to, when they are left out. */
  readonly base?: Position;
}

export interface Replayed {
  readonly position: Position;
  /** Shares minted on each sale, by the trade's sequence. */
  readonly mints: ReadonlyMap<number, bigint>;
}

/**
 * A sync at block B replaces the settled part: fills matched before it and mined at or below B are reckoned first, the
 * result is brought to the chain's balances, and all other fills follow on top.
 */
export function replayPosition({ fills, syncs, base = EMPTY_POSITION }: PositionFacts): Replayed {
  const fold = new Fold(base);
  let rest = fills;
  for (const sync of syncs) {
    fold.apply(rest.filter((fill) => isSettledBy(fill, sync)));
    rest = rest.filter((fill) => !isSettledBy(fill, sync));
    fold.position = replaceShares(fold.position, sync.yesShares, sync.noShares);
  }
  fold.apply(rest);
  return fold;
}

/** Whether the balances read at the sync contain the fill. */
export function isSettledBy(fill: Pick<FillFact, 'seq' | 'minedAt'>, sync: Pick<SyncFact, 'seq' | 'blockNumber'>) {
  return fill.seq < sync.seq && fill.minedAt !== undefined && fill.minedAt <= sync.blockNumber;
}

class Fold implements Replayed {
  position: Position;
  readonly mints = new Map<number, bigint>();

  constructor(base: Position) {
    this.position = base;
  }

  apply(fills: readonly FillFact[]): void {
    for (const fill of fills) {
      const { position, minted } = applyFill(this.position, fill);
      this.position = position;
      if (minted > 0n) this.mints.set(fill.seq, minted);
    }
  }
}
