// Reckons doubted positions anew from the trades and syncs that stand in the database.
import type { TransactionSql } from '../store/column-types.ts';
import { hexOfText } from './column-values.ts';
import { isEmptyPosition } from './position-accounting.ts';
import { type FillFact, replayPosition } from './position-replay.ts';
import {
  DELETE_POSITIONS,
  LOAD_FILLS,
  LOAD_SYNCS,
  type LoadedFill,
  type LoadedSync,
  type PairSync,
  type PositionState,
  toFillFact,
  toPairSync,
  UPDATE_MINTS,
  UPSERT_POSITIONS,
} from './position-rows.ts';
import { type Pair, toPairKey } from './view-rows.ts';

interface Facts {
  readonly fills: FillFact[];
  readonly syncs: PairSync[];
  /** What each sale counts as minted so far. */
  readonly mints: Map<number, bigint>;
}

export class PositionRewriter {
  readonly #sql: TransactionSql;
  readonly #facts = new Map<string, Facts>();
  readonly #mints: [number, bigint][] = [];

  constructor(sql: TransactionSql) {
    this.#sql = sql;
  }

  async rewrite(doubted: readonly PositionState[]): Promise<void> {
    await this.#load(doubted);
    const kept: PositionState[] = [];
    const gone: Pair[] = [];
    for (const state of doubted) {
      const reckoned = this.#reckon(state);
      if (reckoned === undefined) gone.push(state);
      else kept.push(reckoned);
    }
    await Promise.all([
      UPSERT_POSITIONS.run(this.#sql, kept),
      DELETE_POSITIONS.run(this.#sql, gone),
      UPDATE_MINTS.run(this.#sql, this.#mints),
    ]);
  }

  async #load(doubted: readonly Pair[]): Promise<void> {
    const [fills, syncs] = await Promise.all([
      LOAD_FILLS.run<LoadedFill>(this.#sql, doubted),
      LOAD_SYNCS.run<LoadedSync>(this.#sql, doubted),
    ]);
    for (const row of fills) this.#addFill(row);
    for (const row of syncs) {
      const sync = toPairSync(row);
      this.#factsOf(sync).syncs.push(sync);
    }
  }

  #addFill(row: LoadedFill): void {
    const facts = this.#factsOf({ wallet: hexOfText(row.wallet), marketSeq: Number(row.market_seq) });
    const fill = toFillFact(row);
    facts.fills.push(fill);
    if (fill.side === 1) facts.mints.set(fill.seq, BigInt(row.mint));
  }

  /** Undefined when nothing is left of it: a failed trade goes as if it had never been. */
  #reckon(state: PositionState): PositionState | undefined {
    const facts = this.#factsOf(state);
    const { position, mints } = replayPosition(facts);
    for (const [seq, mint] of facts.mints) {
      const reckoned = mints.get(seq) ?? 0n;
      if (reckoned !== mint) this.#mints.push([seq, reckoned]);
    }
    return facts.fills.length === 0 && isEmptyPosition(position) ? undefined : { ...state, position };
  }

  #factsOf({ wallet, marketSeq }: Pair): Facts {
    const key = toPairKey(wallet, marketSeq);
    const facts = this.#facts.get(key) ?? { fills: [], syncs: [], mints: new Map() };
    this.#facts.set(key, facts);
    return facts;
  }
}
