// Read model of positions: each fill adds to the last state; a failure or word from the chain has it computed anew.
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
  LOAD_POSITIONS,
  type LoadedPosition,
  type PositionState,
  type StalePosition,
  toPosition,
  UPSERT_POSITIONS,
} from './position-rows.ts';
import { ShareEventModel } from './share-event-model.ts';
import type { ShareEvent } from './share-event-rows.ts';
import { minedAt, type Pair, type TradeState, toPairKey } from './view-rows.ts';

/** What the chain had said of a trade before a move. */
export interface MinedState {
  readonly minedAt: number | undefined;
  readonly minted: bigint | undefined;
}

export function minedStateOf(trade: TradeState): MinedState {
  const block = minedAt(trade);
  return { minedAt: block, minted: block === undefined ? undefined : (trade.minted ?? undefined) };
}

export class PositionModel {
  readonly #wanted = new Map<string, Pair>();
  readonly #states = new Map<string, PositionState>();
  readonly #shareEvents = new ShareEventModel();
  readonly #stale = new Map<string, StalePosition>();

  want(wallet: Address, marketSeq: number): void {
    this.#wanted.set(toPairKey(wallet, marketSeq), { wallet, marketSeq });
  }

  /** Word from the chain about a trade matters to what it said of the shares after it. */
  collectShareEvents({ buyer, seller, marketSeq, seq }: TradeState): void {
    for (const wallet of [buyer, seller]) this.#shareEvents.wantAfter({ wallet, marketSeq }, seq);
  }

  wantMove({ userAddress: wallet, blockNumber }: SharesMoved | PayoutRedeemed, marketSeq: number): void {
    this.#shareEvents.wantBlock({ wallet, marketSeq }, blockNumber);
  }

  wantRewind(record: ChainRewound): void {
    this.#shareEvents.wantAbove(record);
  }

  async load(sql: TransactionSql): Promise<void> {
    const [positions] = await Promise.all([
      LOAD_POSITIONS.run<LoadedPosition>(sql, [...this.#wanted.values()]),
      this.#shareEvents.load(sql),
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

  fail(trade: TradeState, before: MinedState, timeMs: number): void {
    for (const wallet of [trade.buyer, trade.seller]) {
      this.#voidSyncsOf(trade, wallet, before);
      this.#markStale({ wallet, marketSeq: trade.marketSeq, updatedMs: timeMs, fromSeq: trade.seq });
    }
  }

  /** The trade was moved: what is known of its place on chain may be another. */
  onTradeMoved(trade: TradeState, before: MinedState): void {
    const now = minedStateOf(trade);
    if (now.minedAt !== before.minedAt) {
      for (const wallet of [trade.buyer, trade.seller]) this.#reviewShareEvents(trade, wallet, before);
    }
    const isMintKnown = now.minted === trade.mint || (now.minted === undefined && before.minted === undefined);
    if (!isMintKnown) this.#markTradeStale(trade, trade.seller);
  }

  sync(seq: number, record: PositionSyncRecord, marketSeq: number): void {
    const { userAddress: wallet, blockNumber, timeMs } = record;
    const shares = { yesShares: BigInt(record.yesShares), noShares: BigInt(record.noShares) };
    this.#shareEvents.add({ wallet, marketSeq, seq, blockNumber, cause: 'sync', ...shares });
    this.#markStale({ wallet, marketSeq, updatedMs: timeMs, fromSeq: seq });
  }

  move(seq: number, record: SharesMoved | PayoutRedeemed, marketSeq: number): void {
    const { userAddress: wallet, timeMs } = record;
    if (this.#shareEvents.has({ wallet, marketSeq }, record)) return;
    this.#shareEvents.add(toShareEvent(seq, record, marketSeq));
    this.#markStale({ wallet, marketSeq, updatedMs: timeMs, fromSeq: seq });
  }

  /** What was said of blocks that left the chain was never said. */
  rewind({ toBlock, timeMs, cause }: ChainRewound, isOfChain: (marketSeq: number) => boolean): void {
    for (const shareEvent of this.#shareEvents.above(toBlock, isOfChain)) {
      if (shareEvent.cause === 'sync' && cause === 'restart') continue;
      this.#shareEvents.void(shareEvent);
      this.#markStale({
        wallet: shareEvent.wallet,
        marketSeq: shareEvent.marketSeq,
        updatedMs: timeMs,
        fromSeq: shareEvent.seq,
      });
    }
  }

  /** After the trades. */
  async write(sql: TransactionSql): Promise<void> {
    const added = [...this.#states].filter(([key]) => !this.#stale.has(key)).map(([, state]) => state);
    await Promise.all([UPSERT_POSITIONS.run(sql, added), this.#shareEvents.write(sql)]);
    if (this.#stale.size > 0) await new PositionRewriter(sql).rewrite([...this.#stale.values()]);
  }

  /** A trade that left its block is stale even without a word: a keyframe may count it as confirmed. */
  #reviewShareEvents(trade: TradeState, wallet: Address, before: MinedState): void {
    const shareEvents = this.#shareEvents.of({ wallet, marketSeq: trade.marketSeq });
    const isSpokenOf = shareEvents.some((shareEvent) => shareEvent.seq > trade.seq);
    if (isSpokenOf || before.minedAt !== undefined) this.#markTradeStale(trade, wallet);
    if (minedAt(trade) === undefined) this.#voidSyncsOf(trade, wallet, before);
  }

  /** Balances read at a block that contained the trade say nothing once that block is gone. */
  #voidSyncsOf(trade: TradeState, wallet: Address, before: MinedState): void {
    if (before.minedAt === undefined) return;
    const then = { seq: trade.seq, minedAt: before.minedAt };
    for (const shareEvent of this.#shareEvents.of({ wallet, marketSeq: trade.marketSeq })) {
      if (shareEvent.cause === 'sync' && isSettledBy(then, shareEvent)) this.#shareEvents.void(shareEvent);
    }
  }

  #markTradeStale({ seq, marketSeq }: TradeState, wallet: Address): void {
    this.#markStale({ wallet, marketSeq, updatedMs: 0, fromSeq: seq });
  }

  #markStale(stale: StalePosition): void {
    const key = toPairKey(stale.wallet, stale.marketSeq);
    const former = this.#stale.get(key);
    const touchedMs = this.#states.get(key)?.updatedMs ?? 0;
    const updatedMs = Math.max(stale.updatedMs, former?.updatedMs ?? 0, touchedMs);
    const fromSeq = Math.min(stale.fromSeq, former?.fromSeq ?? stale.fromSeq);
    this.#stale.set(key, { ...stale, updatedMs, fromSeq });
  }

  #state(wallet: Address, marketSeq: number, timeMs: number): PositionState {
    const key = toPairKey(wallet, marketSeq);
    const state = this.#states.get(key) ?? { wallet, marketSeq, position: EMPTY_POSITION, updatedMs: timeMs };
    this.#states.set(key, state);
    state.updatedMs = timeMs;
    const stale = this.#stale.get(key);
    if (stale !== undefined) this.#stale.set(key, { ...stale, updatedMs: timeMs });
    return state;
  }

  #keep(row: LoadedPosition): void {
    const wallet = hexOfText(row.wallet);
    const state = { wallet, marketSeq: Number(row.market_seq), position: toPosition(row) };
    this.#states.set(toPairKey(wallet, state.marketSeq), { ...state, updatedMs: Number(row.updated_ms) });
  }
}

function toShareEvent(seq: number, record: SharesMoved | PayoutRedeemed, marketSeq: number): ShareEvent {
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
