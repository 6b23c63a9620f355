// Recomputes stale positions from trades and share events in the database.
import { SELL } from '@presage/protocol';
import type { BulkTransaction } from '../bulk-transaction.ts';
import { isEmptyPosition } from './position-accounting.ts';
import { type FillFact, replayPosition } from './position-replay.ts';
import {
  DELETE_KEYFRAMES,
  DELETE_POSITIONS,
  type Fill,
  type Keyframe,
  LOAD_FILLS,
  LOAD_KEYFRAMES,
  type Pair,
  type PositionState,
  type StalePosition,
  toFillFact,
  toHeld,
  toPairKey,
  toPosition,
  toPositionRow,
  UPDATE_COUNTED_MINTED,
  UPSERT_KEYFRAMES,
  UPSERT_POSITIONS,
} from './position-rows.ts';
import { type ConvertedShares, LOAD_EVENTS, type ShareEvent, toShareEvent } from './share-event-rows.ts';

/** Fills between keyframes: this many are read quickly, while a maker's million would delay every reader. */
const KEYFRAME_EVERY = 100;

interface Facts {
  keyframe: Keyframe | undefined;
  readonly fills: FillFact[];
  shareEvents: ShareEvent[];
  /** Minted shares counted for each sale so far, by the sequence of the trade. */
  readonly minted: Map<number, bigint>;
  /** Sequence of the first fill that may still change. */
  unconfirmedSeq: number;
}

export class PositionRewriter {
  readonly #sql: BulkTransaction;
  readonly #facts = new Map<string, Facts>();
  readonly #kept: PositionState[] = [];
  readonly #deleted: Pair[] = [];
  readonly #minted: { seq: number; countedMinted: bigint }[] = [];
  readonly #keyframes: Keyframe[] = [];
  readonly #staleKeyframes: Pair[] = [];
  readonly #converted: ConvertedShares[] = [];

  constructor(sql: BulkTransaction) {
    this.#sql = sql;
  }

  /** Returns the conversions whose given shares now have another cost. */
  async rewrite(stale: readonly StalePosition[]): Promise<readonly ConvertedShares[]> {
    await this.#load(stale);
    for (const each of stale) this.#rewrite(each);
    await Promise.all([
      UPSERT_POSITIONS.run(this.#sql, this.#kept.map(toPositionRow)),
      DELETE_POSITIONS.run(this.#sql, this.#deleted),
      UPDATE_COUNTED_MINTED.run(this.#sql, this.#minted),
      DELETE_KEYFRAMES.run(this.#sql, this.#staleKeyframes),
      UPSERT_KEYFRAMES.run(this.#sql, this.#keyframes),
    ]);
    return this.#converted;
  }

  async #load(stale: readonly StalePosition[]): Promise<void> {
    const [keyframes, shareEvents] = await Promise.all([
      LOAD_KEYFRAMES.run(this.#sql, stale),
      LOAD_EVENTS.run(this.#sql, stale),
    ]);
    for (const shareEvent of shareEvents.map(toShareEvent)) this.#factsOf(shareEvent).shareEvents.push(shareEvent);
    for (const keyframe of keyframes) this.#factsOf(keyframe).keyframe = keyframe;
    const wanted = stale.map((each) => ({ ...each, afterSeq: this.#chooseStart(each) }));
    for (const fill of await LOAD_FILLS.run(this.#sql, wanted)) this.#addFill(fill);
  }

  /** A keyframe is usable if it contains nothing stale and every later share event refers to a higher block. */
  #chooseStart(stale: StalePosition): number {
    const facts = this.#factsOf(stale);
    const { keyframe } = facts;
    if (keyframe === undefined) return 0;
    const later = facts.shareEvents.filter((shareEvent) => shareEvent.seq > keyframe.seq);
    if (keyframe.seq < stale.fromSeq && later.every((shareEvent) => isAbove(shareEvent, keyframe))) {
      facts.shareEvents = later;
      return keyframe.seq;
    }
    facts.keyframe = undefined;
    this.#staleKeyframes.push(keyframe);
    return 0;
  }

  #addFill(loaded: Fill): void {
    const facts = this.#factsOf(loaded);
    const fill = toFillFact(loaded);
    facts.fills.push(fill);
    if (fill.side === SELL) facts.minted.set(fill.seq, loaded.countedMinted);
    const isFirm = loaded.stage === 'confirmed' && fill.minedAt !== undefined;
    if (!isFirm) facts.unconfirmedSeq = Math.min(facts.unconfirmedSeq, fill.seq);
  }

  /** Deletes a position without any facts left: a failed trade is removed as if it had never existed. */
  #rewrite({ wallet, marketSeq, updatedMs }: StalePosition): void {
    const facts = this.#factsOf({ wallet, marketSeq });
    const { fills, shareEvents, keyframe } = facts;
    const { position, minted, costsGiven } = replayPosition({
      fills,
      shareEvents,
      ...(keyframe && { base: toPosition(keyframe) }),
    });
    const hasPast = keyframe !== undefined || fills.length > 0 || shareEvents.some(({ cause }) => cause !== 'sync');
    const isDeleted = !hasPast && isEmptyPosition(position);
    if (isDeleted) this.#deleted.push({ wallet, marketSeq });
    else this.#kept.push({ wallet, marketSeq, position, updatedMs });
    for (const [seq, counted] of facts.minted) {
      const computed = minted.get(seq) ?? 0n;
      if (computed !== counted) this.#minted.push({ seq, countedMinted: computed });
    }
    for (const shareEvent of shareEvents) this.#compareCost(shareEvent, costsGiven.get(shareEvent.seq));
    this.#advanceKeyframe({ wallet, marketSeq }, facts);
  }

  #compareCost(shareEvent: ShareEvent, costGiven: bigint | undefined): void {
    if (shareEvent.cause !== 'conversion' || costGiven === undefined) return;
    const { wallet, marketSeq, seq, conversion, place } = shareEvent;
    if (conversion?.costGiven === costGiven) return;
    const log = { txHash: place?.txHash ?? null, logIndex: place?.logIndex ?? null };
    this.#converted.push({ wallet, marketSeq, seq, costGiven, ...log });
  }

  #advanceKeyframe(pair: Pair, { fills, shareEvents, keyframe, unconfirmedSeq }: Facts): void {
    const firm = fills.filter((fill) => fill.seq < unconfirmedSeq);
    const seq = firm.at(-1)?.seq;
    if (firm.length < KEYFRAME_EVERY || seq === undefined) return;
    const earlier = { fills: firm, shareEvents: shareEvents.filter((shareEvent) => shareEvent.seq <= seq) };
    const { position } = replayPosition({ ...earlier, ...(keyframe && { base: toPosition(keyframe) }) });
    const blocks = [
      ...firm.map((fill) => fill.minedAt ?? 0),
      ...earlier.shareEvents.map((shareEvent) => shareEvent.blockNumber),
    ];
    const blockNumber = blocks.reduce((highest, block) => Math.max(highest, block), keyframe?.blockNumber ?? 0);
    this.#keyframes.push({ ...pair, seq, blockNumber, ...toHeld(position) });
  }

  #factsOf({ wallet, marketSeq }: Pair): Facts {
    const key = toPairKey(wallet, marketSeq);
    const unconfirmedSeq = Number.POSITIVE_INFINITY;
    const facts = this.#facts.get(key) ?? {
      keyframe: undefined,
      fills: [],
      shareEvents: [],
      minted: new Map(),
      unconfirmedSeq,
    };
    this.#facts.set(key, facts);
    return facts;
  }
}

/** A move in the keyframe's highest block may already be part of it; balances read there include all of it. */
function isAbove(shareEvent: ShareEvent, { blockNumber }: Keyframe): boolean {
  return shareEvent.cause === 'sync' ? shareEvent.blockNumber >= blockNumber : shareEvent.blockNumber > blockNumber;
}
