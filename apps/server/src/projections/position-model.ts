// Read model of positions: each fill adds to the last state; a failure or word from the chain has it reckoned anew.
import {
  type Address,
  BUY,
  type ChainRewound,
  type PayoutRedeemed,
  type PositionSyncRecord,
  SELL,
  type SharesMoved,
} from '@presage/protocol';
import type { TransactionSql } from '../store/column-types.ts';
import { hexOfText } from './column-values.ts';
import { applyFill, EMPTY_POSITION } from './position-accounting.ts';
import { isSettledBy } from './position-replay.ts';
import { PositionRewriter } from './position-rewriter.ts';
import {
  type DoubtedPosition,
  LOAD_POSITIONS,
  type LoadedPosition,
  type PositionState,
  toPosition,
  UPSERT_POSITIONS,
} from './position-rows.ts';
import { ShareWordModel } from './share-word-model.ts';
import type { ShareWord } from './share-word-rows.ts';
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
  readonly #states = new Map<string, PositionState>();
  readonly #words = new ShareWordModel();
  readonly #doubted = new Map<string, DoubtedPosition>();

  want(wallet: Address, marketSeq: number): void {
    this.#wanted.set(toPairKey(wallet, marketSeq), { wallet, marketSeq });
  }

  /** Word from the chain about a trade matters to what it said of the shares after it. */
  wantWords({ buyer, seller, marketSeq, seq }: TradeState): void {
    for (const wallet of [buyer, seller]) this.#words.wantAfter({ wallet, marketSeq }, seq);
  }

  wantMove({ userAddress: wallet, blockNumber }: SharesMoved | PayoutRedeemed, marketSeq: number): void {
    this.#words.wantBlock({ wallet, marketSeq }, blockNumber);
  }

  wantRewind(record: ChainRewound): void {
    this.#words.wantAbove(record);
  }

  async load(sql: TransactionSql): Promise<void> {
    const [positions] = await Promise.all([
      LOAD_POSITIONS.run<LoadedPosition>(sql, [...this.#wanted.values()]),
      this.#words.load(sql),
    ]);
    for (const row of positions) this.#keep(row);
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
      this.#voidWordsOn(trade, wallet, before);
      this.#doubt({ wallet, marketSeq: trade.marketSeq, updatedMs: timeMs, fromSeq: trade.seq });
    }
  }

  /** The trade was moved: what is known of its place on chain may be another. */
  hear(trade: TradeState, before: ChainWord): void {
    const now = chainWordOf(trade);
    if (now.minedAt !== before.minedAt) {
      for (const wallet of [trade.buyer, trade.seller]) this.#reviewWords(trade, wallet, before);
    }
    const isMintKnown = now.minted === trade.mint || (now.minted === undefined && before.minted === undefined);
    if (!isMintKnown) this.#doubtTrade(trade, trade.seller);
  }

  sync(seq: number, record: PositionSyncRecord, marketSeq: number): void {
    const { userAddress: wallet, blockNumber, timeMs } = record;
    const shares = { yesShares: BigInt(record.yesShares), noShares: BigInt(record.noShares) };
    this.#words.add({ wallet, marketSeq, seq, blockNumber, cause: 'sync', ...shares });
    this.#doubt({ wallet, marketSeq, updatedMs: timeMs, fromSeq: seq });
  }

  move(seq: number, record: SharesMoved | PayoutRedeemed, marketSeq: number): void {
    const { userAddress: wallet, timeMs } = record;
    if (this.#words.has({ wallet, marketSeq }, record)) return;
    this.#words.add(toShareWord(seq, record, marketSeq));
    this.#doubt({ wallet, marketSeq, updatedMs: timeMs, fromSeq: seq });
  }

  /** What was said of blocks that left the chain was never said. */
  rewind({ toBlock, timeMs, cause }: ChainRewound, isOfChain: (marketSeq: number) => boolean): void {
    for (const word of this.#words.above(toBlock, isOfChain)) {
      if (word.cause === 'sync' && cause === 'restart') continue;
      this.#words.void(word);
      this.#doubt({ wallet: word.wallet, marketSeq: word.marketSeq, updatedMs: timeMs, fromSeq: word.seq });
    }
  }

  /** After the trades. */
  async write(sql: TransactionSql): Promise<void> {
    const added = [...this.#states].filter(([key]) => !this.#doubted.has(key)).map(([, state]) => state);
    await Promise.all([UPSERT_POSITIONS.run(sql, added), this.#words.write(sql)]);
    if (this.#doubted.size > 0) await new PositionRewriter(sql).rewrite([...this.#doubted.values()]);
  }

  /** A trade that left its block is doubted even without a word: a keyframe may count it as confirmed. */
  #reviewWords(trade: TradeState, wallet: Address, before: ChainWord): void {
    const words = this.#words.of({ wallet, marketSeq: trade.marketSeq });
    const isSpokenOf = words.some((word) => word.seq > trade.seq);
    if (isSpokenOf || before.minedAt !== undefined) this.#doubtTrade(trade, wallet);
    if (minedAt(trade) === undefined) this.#voidWordsOn(trade, wallet, before);
  }

  /** Balances read at a block that contained the trade say nothing once that block is gone. */
  #voidWordsOn(trade: TradeState, wallet: Address, before: ChainWord): void {
    if (before.minedAt === undefined) return;
    const then = { seq: trade.seq, minedAt: before.minedAt };
    for (const word of this.#words.of({ wallet, marketSeq: trade.marketSeq })) {
      if (word.cause === 'sync' && isSettledBy(then, word)) this.#words.void(word);
    }
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
}

function toShareWord(seq: number, record: SharesMoved | PayoutRedeemed, marketSeq: number): ShareWord {
  const { userAddress: wallet, blockNumber, txHash, logIndex, timestamp } = record;
  const head = { wallet, marketSeq, seq, blockNumber, place: { txHash, logIndex, timestamp } };
  const [yes, no] = [BigInt(record.yesShares), BigInt(record.noShares)];
  if (record.type === 'shares-moved') {
    return { ...head, cause: record.cause, yesShares: yes, noShares: no, payout: 0n, winningOutcome: null };
  }
  const { winningOutcome } = record;
  const burned = { yesShares: -yes, noShares: -no };
  return { ...head, cause: 'redemption', ...burned, payout: BigInt(record.payout), winningOutcome };
}
