// Read model of positions: each fill adds to the last state; a failure or word from the chain has it reckoned anew.
import { type Address, BUY, type PositionSyncRecord, SELL } from '@presage/protocol';
import type { TransactionSql } from '../store/column-types.ts';
import { hexOfText } from './column-values.ts';
import { applyFill, EMPTY_POSITION } from './position-accounting.ts';
import { isSettledBy } from './position-replay.ts';
import { PositionRewriter } from './position-rewriter.ts';
import {
  DELETE_SYNCS,
  type DoubtedPosition,
  INSERT_SYNCS,
  LOAD_POSITIONS,
  LOAD_SYNCS,
  type LoadedPosition,
  type LoadedSync,
  type PairSync,
  type PositionState,
  toPairSync,
  toPosition,
  UPSERT_POSITIONS,
} from './position-rows.ts';
import { minedAt, type Pair, type TradeState, toPairKey } from './view-rows.ts';

/** What the chain had said of a trade before a move. */
export interface ChainWord {
  readonly minedAt: number | undefined;
  readonly minted: bigint | undefined;
}

export function chainWordOf(trade: TradeState): ChainWord {
  const block = minedAt(trade);
  return { minedAt: block, minted: block === undefined ? undefined : (trade.minted ?? undefined) };
}

export class PositionModel {
  readonly #wanted = new Map<string, Pair>();
  readonly #wantedSyncs = new Map<string, Pair>();
  readonly #states = new Map<string, PositionState>();
  readonly #syncs = new Map<string, PairSync[]>();
  readonly #newSyncs = new Set<PairSync>();
  readonly #voidSyncs = new Set<PairSync>();
  readonly #doubted = new Map<string, DoubtedPosition>();

  want(wallet: Address, marketSeq: number): void {
    this.#wanted.set(toPairKey(wallet, marketSeq), { wallet, marketSeq });
  }

  /** Word from the chain about a trade matters to those syncs that came after it. */
  wantSyncs({ buyer, seller, marketSeq }: TradeState): void {
    for (const wallet of [buyer, seller]) this.#wantedSyncs.set(toPairKey(wallet, marketSeq), { wallet, marketSeq });
  }

  async load(sql: TransactionSql): Promise<void> {
    const [positions, syncs] = await Promise.all([
      LOAD_POSITIONS.run<LoadedPosition>(sql, [...this.#wanted.values()]),
      LOAD_SYNCS.run<LoadedSync>(sql, [...this.#wantedSyncs.values()]),
    ]);
    for (const row of positions) this.#keep(row);
    for (const row of syncs) this.#addSync(toPairSync(row));
  }

  /** The sale first, as on chain: it counts the shares held before the buyer gets any. */
  fill(trade: TradeState): void {
    const { outcome, price, size } = trade;
    const sale = this.#state(trade.seller, trade.marketSeq, trade.timeMs);
    const sold = applyFill(sale.position, { side: SELL, outcome, price, size });
    sale.position = sold.position;
    trade.mint = sold.minted;
    const purchase = this.#state(trade.buyer, trade.marketSeq, trade.timeMs);
    purchase.position = applyFill(purchase.position, { side: BUY, outcome, price, size }).position;
  }

  fail(trade: TradeState, before: ChainWord, timeMs: number): void {
    for (const wallet of [trade.buyer, trade.seller]) {
      this.#voidSyncsOn(trade, wallet, before);
      this.#doubt({ wallet, marketSeq: trade.marketSeq, updatedMs: timeMs, fromSeq: trade.seq });
    }
  }

  /** The trade was moved: what is known of its place on chain may be another. */
  hear(trade: TradeState, before: ChainWord): void {
    const now = chainWordOf(trade);
    if (now.minedAt !== before.minedAt) {
      for (const wallet of [trade.buyer, trade.seller]) this.#reviewSyncs(trade, wallet, before);
    }
    const isMintKnown = now.minted === trade.mint || (now.minted === undefined && before.minted === undefined);
    if (!isMintKnown) this.#doubtTrade(trade, trade.seller);
  }

  sync(seq: number, record: PositionSyncRecord, marketSeq: number): void {
    const { userAddress: wallet, blockNumber, timeMs } = record;
    const shares = { yesShares: BigInt(record.yesShares), noShares: BigInt(record.noShares) };
    const sync = { wallet, marketSeq, seq, blockNumber, ...shares };
    this.#newSyncs.add(sync);
    this.#addSync(sync);
    this.#doubt({ wallet, marketSeq, updatedMs: timeMs, fromSeq: seq });
  }

  /** After the trades. */
  async write(sql: TransactionSql): Promise<void> {
    const added = [...this.#states].filter(([key]) => !this.#doubted.has(key)).map(([, state]) => state);
    await Promise.all([
      UPSERT_POSITIONS.run(sql, added),
      INSERT_SYNCS.run(sql, [...this.#newSyncs]),
      DELETE_SYNCS.run(sql, [...this.#voidSyncs]),
    ]);
    if (this.#doubted.size > 0) await new PositionRewriter(sql).rewrite([...this.#doubted.values()]);
  }

  /** A trade that left its block is doubted even without a sync: a keyframe may count it as confirmed. */
  #reviewSyncs(trade: TradeState, wallet: Address, before: ChainWord): void {
    const syncs = this.#syncs.get(toPairKey(wallet, trade.marketSeq)) ?? [];
    const isRead = syncs.some((sync) => sync.seq > trade.seq);
    if (isRead || before.minedAt !== undefined) this.#doubtTrade(trade, wallet);
    if (minedAt(trade) === undefined) this.#voidSyncsOn(trade, wallet, before);
  }

  /** Balances read at a block that contained the trade say nothing once that block is gone. */
  #voidSyncsOn(trade: TradeState, wallet: Address, before: ChainWord): void {
    if (before.minedAt === undefined) return;
    const key = toPairKey(wallet, trade.marketSeq);
    const then = { seq: trade.seq, minedAt: before.minedAt };
    const syncs = this.#syncs.get(key) ?? [];
    for (const sync of syncs.filter((each) => isSettledBy(then, each))) this.#voidSync(sync);
    this.#syncs.set(
      key,
      syncs.filter((each) => !isSettledBy(then, each)),
    );
  }

  #voidSync(sync: PairSync): void {
    if (!this.#newSyncs.delete(sync)) this.#voidSyncs.add(sync);
  }

  #doubtTrade({ seq, marketSeq }: TradeState, wallet: Address): void {
    this.#doubt({ wallet, marketSeq, updatedMs: 0, fromSeq: seq });
  }

  #doubt(doubted: DoubtedPosition): void {
    const key = toPairKey(doubted.wallet, doubted.marketSeq);
    const former = this.#doubted.get(key);
    const touchedMs = this.#states.get(key)?.updatedMs ?? 0;
    const updatedMs = Math.max(doubted.updatedMs, former?.updatedMs ?? 0, touchedMs);
    const fromSeq = Math.min(doubted.fromSeq, former?.fromSeq ?? doubted.fromSeq);
    this.#doubted.set(key, { ...doubted, updatedMs, fromSeq });
  }

  #state(wallet: Address, marketSeq: number, timeMs: number): PositionState {
    const key = toPairKey(wallet, marketSeq);
    const state = this.#states.get(key) ?? { wallet, marketSeq, position: EMPTY_POSITION, updatedMs: timeMs };
    this.#states.set(key, state);
    state.updatedMs = timeMs;
    const doubted = this.#doubted.get(key);
    if (doubted !== undefined) this.#doubted.set(key, { ...doubted, updatedMs: timeMs });
    return state;
  }

  #keep(row: LoadedPosition): void {
    const wallet = hexOfText(row.wallet);
    const state = { wallet, marketSeq: Number(row.market_seq), position: toPosition(row) };
    this.#states.set(toPairKey(wallet, state.marketSeq), { ...state, updatedMs: Number(row.updated_ms) });
  }

  #addSync(sync: PairSync): void {
    const key = toPairKey(sync.wallet, sync.marketSeq);
    const syncs = this.#syncs.get(key);
    if (syncs === undefined) this.#syncs.set(key, [sync]);
    else syncs.push(sync);
  }
}
