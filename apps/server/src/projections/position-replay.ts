// Reckons a position anew from its facts: fills in journal order, and what the chain said of the shares between them.
import { applyFill, EMPTY_POSITION, type Fill, type Position, replaceShares } from './position-accounting.ts';
import { applyMove, type ShareMove } from './share-moves.ts';

export interface FillFact extends Fill {
  /** Journal sequence of the trade. */
  readonly seq: number;
  /** Block the trade stands in; undefined while it stands in none. */
  readonly minedAt?: number;
}

interface Said {
  /** Journal sequence of the record. */
  readonly seq: number;
  readonly blockNumber: number;
}

/** The chain's balances at the end of a block. */
export interface SyncFact extends Said {
  readonly cause: 'sync';
  readonly yesShares: bigint;
  readonly noShares: bigint;
}

export interface MoveFact extends Said, ShareMove {}

/** What the chain said of a wallet's shares, apart from its trades. */
export type ShareFact = SyncFact | MoveFact;

export interface PositionFacts {
  /** In journal order; of a trade with oneself the sale comes first, as on chain. Failed trades are left out. */
  readonly fills: readonly FillFact[];
  /** In journal order. */
  readonly shareEvents: readonly ShareFact[];
  /** What earlier facts came to, when they are left out. */
  readonly base?: Position;
}

export interface Replayed {
  readonly position: Position;
  /** Shares minted on each sale, by the trade's sequence. */
  readonly mints: ReadonlyMap<number, bigint>;
}

/**
 * A shareEvent of the chain at block B speaks of the settled part: fills matched before it and mined at or below B are computed
 * first, then the shares are brought to the balances that were read, or moved; all other fills follow on top.
 */
export function replayPosition({ fills, shareEvents, base = EMPTY_POSITION }: PositionFacts): Replayed {
  const fold = new Fold(base);
  let rest = fills;
  for (const shareEvent of inOrderOfChain(shareEvents)) {
    fold.apply(rest.filter((fill) => isSettledBy(fill, shareEvent)));
    rest = rest.filter((fill) => !isSettledBy(fill, shareEvent));
    fold.onTradeMoved(shareEvent);
  }
  fold.apply(rest);
  return fold;
}

/** Whether the shareEvent was said of a state that contains the fill. */
export function isSettledBy(fill: Pick<FillFact, 'seq' | 'minedAt'>, shareEvent: Said): boolean {
  return fill.seq < shareEvent.seq && fill.minedAt !== undefined && fill.minedAt <= shareEvent.blockNumber;
}

/** Balances read at a block contain every move up to it, also one that is heard of later. */
function inOrderOfChain(shareEvents: readonly ShareFact[]): ShareFact[] {
  const ordered: ShareFact[] = [];
  for (const shareEvent of shareEvents) {
    const contains = (former: ShareFact) => former.cause === 'sync' && former.blockNumber >= shareEvent.blockNumber;
    const place = shareEvent.cause === 'sync' ? -1 : ordered.findIndex(contains);
    ordered.splice(place === -1 ? ordered.length : place, 0, shareEvent);
  }
  return ordered;
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

  onTradeMoved(shareEvent: ShareFact): void {
    this.position =
      shareEvent.cause === 'sync'
        ? replaceShares(this.position, shareEvent.yesShares, shareEvent.noShares)
        : applyMove(this.position, shareEvent);
  }
}
