// Reckons doubted positions anew from the trades and syncs that stand in the database.
import type { TransactionSql } from '../store/column-types.ts';
import { hexOfText } from './column-values.ts';
import { isEmptyPosition } from './position-accounting.ts';
import { type FillFact, replayPosition } from './position-replay.ts';
import {
  DELETE_KEYFRAMES,
  DELETE_POSITIONS,
  type DoubtedPosition,
  type Keyframe,
  LOAD_FILLS,
  LOAD_KEYFRAMES,
  LOAD_SYNCS,
  type LoadedFill,
  type LoadedKeyframe,
  type LoadedSync,
  type PairSync,
  type PositionState,
  toFillFact,
  toKeyframe,
  toPairSync,
  UPDATE_MINTS,
  UPSERT_KEYFRAMES,
  UPSERT_POSITIONS,
} from './position-rows.ts';
import { type Pair, toPairKey } from './view-rows.ts';

/** So many fills are read in a moment; a maker's million would hold every reader up. */
const KEYFRAME_EVERY = 100;

interface Facts {
  keyframe: Keyframe | undefined;
  readonly fills: FillFact[];
  syncs: PairSync[];
  /** What each sale counts as minted so far. */
  readonly mints: Map<number, bigint>;
  /** The first fill that may still move. */
  unconfirmedSeq: number;
}

export class PositionRewriter {
  readonly #sql: TransactionSql;
  readonly #facts = new Map<string, Facts>();
  readonly #kept: PositionState[] = [];
  readonly #gone: Pair[] = [];
  readonly #mints: [number, bigint][] = [];
  readonly #keyframes: Keyframe[] = [];
  readonly #staleKeyframes: Pair[] = [];

  constructor(sql: TransactionSql) {
    this.#sql = sql;
  }

  async rewrite(doubted: readonly DoubtedPosition[]): Promise<void> {
    await this.#load(doubted);
    for (const each of doubted) this.#reckon(each);
    await Promise.all([
      UPSERT_POSITIONS.run(this.#sql, this.#kept),
      DELETE_POSITIONS.run(this.#sql, this.#gone),
      UPDATE_MINTS.run(this.#sql, this.#mints),
      DELETE_KEYFRAMES.run(this.#sql, this.#staleKeyframes),
      UPSERT_KEYFRAMES.run(this.#sql, this.#keyframes),
    ]);
  }

  async #load(doubted: readonly DoubtedPosition[]): Promise<void> {
    const [keyframes, syncs] = await Promise.all([
      LOAD_KEYFRAMES.run<LoadedKeyframe>(this.#sql, doubted),
      LOAD_SYNCS.run<LoadedSync>(this.#sql, doubted),
    ]);
    for (const row of syncs) this.#addSync(toPairSync(row));
    for (const row of keyframes) this.#addKeyframe(toKeyframe(row));
    const wanted = doubted.map((each) => ({ ...each, afterSeq: this.#chooseStart(each) }));
    for (const row of await LOAD_FILLS.run<LoadedFill>(this.#sql, wanted)) this.#addFill(row);
  }

  #addSync(sync: PairSync): void {
    this.#factsOf(sync).syncs.push(sync);
  }

  #addKeyframe(keyframe: Keyframe): void {
    this.#factsOf(keyframe).keyframe = keyframe;
  }

  /** A keyframe serves when nothing in it is doubted and every later sync was read at or above its highest block. */
  #chooseStart(doubted: DoubtedPosition): number {
    const facts = this.#factsOf(doubted);
    const { keyframe } = facts;
    if (keyframe === undefined) return 0;
    const later = facts.syncs.filter((sync) => sync.seq > keyframe.seq);
    if (keyframe.seq < doubted.fromSeq && later.every((sync) => sync.blockNumber >= keyframe.blockNumber)) {
      facts.syncs = later;
      return keyframe.seq;
    }
    facts.keyframe = undefined;
    this.#staleKeyframes.push(keyframe);
    return 0;
  }

  #addFill(row: LoadedFill): void {
    const facts = this.#factsOf({ wallet: hexOfText(row.wallet), marketSeq: Number(row.market_seq) });
    const fill = toFillFact(row);
    facts.fills.push(fill);
    if (fill.side === 1) facts.mints.set(fill.seq, BigInt(row.mint));
    const isFirm = row.stage === 'confirmed' && fill.minedAt !== undefined;
    if (!isFirm) facts.unconfirmedSeq = Math.min(facts.unconfirmedSeq, fill.seq);
  }

  /** Nothing left of it means that it goes: a failed trade is removed as if it had never been. */
  #reckon({ wallet, marketSeq, updatedMs }: DoubtedPosition): void {
    const facts = this.#factsOf({ wallet, marketSeq });
    const { fills, syncs, keyframe } = facts;
    const { position, mints } = replayPosition({ fills, syncs, ...(keyframe && { base: keyframe.position }) });
    const isGone = keyframe === undefined && fills.length === 0 && isEmptyPosition(position);
    if (isGone) this.#gone.push({ wallet, marketSeq });
    else this.#kept.push({ wallet, marketSeq, position, updatedMs });
    for (const [seq, mint] of facts.mints) {
      const reckoned = mints.get(seq) ?? 0n;
      if (reckoned !== mint) this.#mints.push([seq, reckoned]);
    }
    this.#advanceKeyframe({ wallet, marketSeq }, facts);
  }

  #advanceKeyframe(pair: Pair, { fills, syncs, keyframe, unconfirmedSeq }: Facts): void {
    const firm = fills.filter((fill) => fill.seq < unconfirmedSeq);
    const seq = firm.at(-1)?.seq;
    if (firm.length < KEYFRAME_EVERY || seq === undefined) return;
    const earlier = { fills: firm, syncs: syncs.filter((sync) => sync.seq <= seq) };
    const { position } = replayPosition({ ...earlier, ...(keyframe && { base: keyframe.position }) });
    const blocks = firm.map((fill) => fill.minedAt ?? 0);
    const blockNumber = blocks.reduce((highest, block) => Math.max(highest, block), keyframe?.blockNumber ?? 0);
    this.#keyframes.push({ ...pair, seq, blockNumber, position });
  }

  #factsOf({ wallet, marketSeq }: Pair): Facts {
    const key = toPairKey(wallet, marketSeq);
    const unconfirmedSeq = Number.POSITIVE_INFINITY;
    const facts = this.#facts.get(key) ?? {
      keyframe: undefined,
      fills: [],
      syncs: [],
      mints: new Map(),
      unconfirmedSeq,
    };
    this.#facts.set(key, facts);
    return facts;
  }
}
