// Recomputes a position from its facts: fills in journal order, and share events of the chain between them.
import { applyFill, EMPTY_POSITION, type Fill, type Position, replaceShares } from './position-accounting.ts';
import { applyMove, costGivenBy, type ShareMove } from './share-moves.ts';

export interface FillFact extends Fill {
  /** Journal sequence of the trade. */
  readonly seq: number;
  /** Block of the trade; undefined unless it is in one. */
  readonly minedAt?: number;
}

interface ChainStatement {
  /** Journal sequence of the record. */
  readonly seq: number;
  readonly blockNumber: number;
}

/** On-chain balances at the end of a block. */
export interface SyncFact extends ChainStatement {
  readonly cause: 'sync';
  readonly yesShares: bigint;
  readonly noShares: bigint;
}

/** A change or reading of a wallet's shares on chain, apart from its trades. */
export type ShareFact = SyncFact | (ChainStatement & ShareMove);

export interface PositionFacts {
  /** In journal order, without failed trades; in a trade with oneself the sale comes first, as on chain. */
  readonly fills: readonly FillFact[];
  /** In journal order. */
  readonly shareEvents: readonly ShareFact[];
  /** Result of earlier facts that are left out. */
  readonly base?: Position;
}

/**
 * A share event at block B refers to the mined part: fills matched before it and mined at or below B are applied first,
 * then its balances or moves. All other fills follow.
 */
export function replayPosition({ fills, shareEvents, base = EMPTY_POSITION }: PositionFacts) {
  const fold = new Fold(base);
  let rest = fills;
  for (const shareEvent of inOrderOfChain(shareEvents)) {
    fold.apply(rest.filter((fill) => isMinedBy(fill, shareEvent)));
    rest = rest.filter((fill) => !isMinedBy(fill, shareEvent));
    fold.applyShareFact(shareEvent);
  }
  fold.apply(rest);
  return fold;
}

/** Whether the state that the share event refers to contains the fill. */
export function isMinedBy(fill: Pick<FillFact, 'seq' | 'minedAt'>, shareEvent: ChainStatement): boolean {
  return fill.seq < shareEvent.seq && fill.minedAt !== undefined && fill.minedAt <= shareEvent.blockNumber;
}

function inOrderOfChain(shareEvents: readonly ShareFact[]): ShareFact[] {
  const ordered: ShareFact[] = [];
  for (const shareEvent of shareEvents) {
    const place = ordered.findIndex((earlier) => isPartOf(shareEvent, earlier));
    ordered.splice(place === -1 ? ordered.length : place, 0, shareEvent);
  }
  return ordered;
}

/** Balances read at a block include every move up to it, even one delivered later. */
function isPartOf(shareEvent: ShareFact, earlier: ShareFact): boolean {
  return shareEvent.cause !== 'sync' && earlier.cause === 'sync' && earlier.blockNumber >= shareEvent.blockNumber;
}

/**
 * A position that grows with its facts in journal order; at any time the result of `replayPosition` for the facts so
 * far.
 */
export class GrowingPosition {
  readonly #fills: FillFact[] = [];
  readonly #shareEvents: ShareFact[] = [];
  /** The part that share events refer to. */
  #base = EMPTY_POSITION;
  /** Fills after that part. */
  #rest: FillFact[] = [];
  #position = EMPTY_POSITION;

  get position(): Position {
    return this.#position;
  }

  addFill(fill: FillFact): void {
    this.#fills.push(fill);
    this.#rest.push(fill);
    this.#position = applyFill(this.#position, fill).position;
  }

  addShareEvent(shareEvent: ShareFact): void {
    const isLate = this.#shareEvents.some((earlier) => isPartOf(shareEvent, earlier));
    this.#shareEvents.push(shareEvent);
    if (isLate) this.#extendBase(this.#shareEvents, this.#fills, EMPTY_POSITION);
    else this.#extendBase([shareEvent], this.#rest, this.#base);
    this.#position = replayPosition({ fills: this.#rest, shareEvents: [], base: this.#base }).position;
  }

  #extendBase(shareEvents: readonly ShareFact[], fills: readonly FillFact[], base: Position): void {
    const isMined = (fill: FillFact) => shareEvents.some((shareEvent) => isMinedBy(fill, shareEvent));
    this.#base = replayPosition({ fills: fills.filter(isMined), shareEvents, base }).position;
    this.#rest = fills.filter((fill) => !isMined(fill));
  }
}

class Fold {
  position: Position;
  /** Shares minted for each sale, by the sequence of the trade. */
  readonly minted = new Map<number, bigint>();
  /** Cost of the shares given in each conversion, by the sequence of its record. */
  readonly costsGiven = new Map<number, bigint>();

  constructor(base: Position) {
    this.position = base;
  }

  apply(fills: readonly FillFact[]): void {
    for (const fill of fills) {
      const { position, minted } = applyFill(this.position, fill);
      this.position = position;
      if (minted > 0n) this.minted.set(fill.seq, minted);
    }
  }

  applyShareFact(fact: ShareFact): void {
    if (fact.cause === 'conversion') this.costsGiven.set(fact.seq, costGivenBy(this.position, fact));
    this.position = applyShareFact(this.position, fact);
  }
}

function applyShareFact(position: Position, fact: ShareFact): Position {
  return fact.cause === 'sync' ? replaceShares(position, fact.yesShares, fact.noShares) : applyMove(position, fact);
}
