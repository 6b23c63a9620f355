// Reckons doubted positions anew from the trades and the words of the chain that stand in the database.
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
  type LoadedFill,
  type LoadedKeyframe,
  type PositionState,
  toFillFact,
  toKeyframe,
  UPDATE_MINTS,
  UPSERT_KEYFRAMES,
  UPSERT_POSITIONS,
} from './position-rows.ts';
import { LOAD_WORDS, type LoadedWord, type ShareWord, toShareWord } from './share-word-rows.ts';
import { type Pair, toPairKey } from './view-rows.ts';

/** So many fills are read in a moment; a maker's million would hold every reader up. */
const KEYFRAME_EVERY = 100;

interface Facts {
  keyframe: Keyframe | undefined;
  readonly fills: FillFact[];
  words: ShareWord[];
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
    const [keyframes, words] = await Promise.all([
      LOAD_KEYFRAMES.run<LoadedKeyframe>(this.#sql, doubted),
      LOAD_WORDS.run<LoadedWord>(this.#sql, doubted),
    ]);
    for (const word of words.map(toShareWord)) this.#factsOf(word).words.push(word);
    for (const row of keyframes) this.#addKeyframe(toKeyframe(row));
    const wanted = doubted.map((each) => ({ ...each, afterSeq: this.#chooseStart(each) }));
    for (const row of await LOAD_FILLS.run<LoadedFill>(this.#sql, wanted)) this.#addFill(row);
  }

  #addKeyframe(keyframe: Keyframe): void {
    this.#factsOf(keyframe).keyframe = keyframe;
  }

  /** A keyframe serves when nothing in it is doubted and every later word speaks of the chain above its highest block. */
  #chooseStart(doubted: DoubtedPosition): number {
    const facts = this.#factsOf(doubted);
    const { keyframe } = facts;
    if (keyframe === undefined) return 0;
    const later = facts.words.filter((word) => word.seq > keyframe.seq);
    if (keyframe.seq < doubted.fromSeq && later.every((word) => isAbove(word, keyframe))) {
      facts.words = later;
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
    const { fills, words, keyframe } = facts;
    const { position, mints } = replayPosition({ fills, words, ...(keyframe && { base: keyframe.position }) });
    const hasPast = keyframe !== undefined || fills.length > 0 || words.some(({ cause }) => cause !== 'sync');
    const isGone = !hasPast && isEmptyPosition(position);
    if (isGone) this.#gone.push({ wallet, marketSeq });
    else this.#kept.push({ wallet, marketSeq, position, updatedMs });
    for (const [seq, mint] of facts.mints) {
      const reckoned = mints.get(seq) ?? 0n;
      if (reckoned !== mint) this.#mints.push([seq, reckoned]);
    }
    this.#advanceKeyframe({ wallet, marketSeq }, facts);
  }

  #advanceKeyframe(pair: Pair, { fills, words, keyframe, unconfirmedSeq }: Facts): void {
    const firm = fills.filter((fill) => fill.seq < unconfirmedSeq);
    const seq = firm.at(-1)?.seq;
    if (firm.length < KEYFRAME_EVERY || seq === undefined) return;
    const earlier = { fills: firm, words: words.filter((word) => word.seq <= seq) };
    const { position } = replayPosition({ ...earlier, ...(keyframe && { base: keyframe.position }) });
    const blocks = [...firm.map((fill) => fill.minedAt ?? 0), ...earlier.words.map((word) => word.blockNumber)];
    const blockNumber = blocks.reduce((highest, block) => Math.max(highest, block), keyframe?.blockNumber ?? 0);
    this.#keyframes.push({ ...pair, seq, blockNumber, position });
  }

  #factsOf({ wallet, marketSeq }: Pair): Facts {
    const key = toPairKey(wallet, marketSeq);
    const unconfirmedSeq = Number.POSITIVE_INFINITY;
    const facts = this.#facts.get(key) ?? {
      keyframe: undefined,
      fills: [],
      words: [],
      mints: new Map(),
      unconfirmedSeq,
    };
    this.#facts.set(key, facts);
    return facts;
  }
}

/** Balances of the keyframe's own highest block contain all of it; a move of that block may stand in it already. */
function isAbove(word: ShareWord, { blockNumber }: Keyframe): boolean {
  return word.cause === 'sync' ? word.blockNumber >= blockNumber : word.blockNumber > blockNumber;
}
