// Read model of trades: their terms, where each stands on chain, every move and every transaction on the way.
import {
  BUY,
  costOf,
  type TradeFailed,
  type TradeMatched,
  type TradeMoved,
  type TradeSettlement,
  type TradeStage,
} from '@presage/protocol';
import type { TransactionSql } from '../store/column-types.ts';
import {
  DELETE_UNSETTLED,
  INSERT_MOVES,
  INSERT_TRADES,
  INSERT_TRANSACTIONS,
  INSERT_UNSETTLED,
  LOAD_TRADES,
  type LoadedTrade,
  toTradeState,
  UPDATE_TRADES,
} from './trade-rows.ts';
import { ViewFault } from './view-fault.ts';
import { type NewTrade, type TradeMove, type TradeState, type TradeTransaction, toTradeStatus } from './view-rows.ts';

interface Placement {
  readonly marketSeq: number;
  readonly makerSeq: number;
  readonly takerSeq: number;
}

export class TradeModel {
  readonly #expected = new Set<string>();
  readonly #wanted = new Set<string>();
  readonly #trades = new Map<string, TradeState>();
  readonly #created: NewTrade[] = [];
  readonly #changed = new Set<TradeState>();
  /** Loaded ones that the view counts as settled. */
  readonly #settled = new Set<TradeState>();
  readonly #moves: TradeMove[] = [];
  readonly #transactions: TradeTransaction[] = [];

  /** It will be matched in this transaction, so it need not be loaded. */
  expect(tradeId: string): void {
    this.#expected.add(tradeId);
  }

  want(tradeId: string): void {
    if (!this.#expected.has(tradeId)) this.#wanted.add(tradeId);
  }

  async load(sql: TransactionSql): Promise<readonly TradeState[]> {
    const rows = await LOAD_TRADES.run<LoadedTrade>(sql, [...this.#wanted]);
    const loaded = rows.map(toTradeState);
    for (const trade of loaded) {
      this.#trades.set(trade.tradeId, trade);
      if (!isPending(trade)) this.#settled.add(trade);
    }
    return loaded;
  }

  find(tradeId: string): TradeState {
    const trade = this.#trades.get(tradeId);
    if (trade === undefined) throw new ViewFault(`trade ${tradeId} was never matched`);
    return trade;
  }

  match(seq: number, event: TradeMatched, placement: Placement): TradeState {
    const { tradeId, outcome, price, size, takerSide, timeMs } = event;
    const [buyer, seller] = takerSide === BUY ? [event.taker, event.maker] : [event.maker, event.taker];
    // Field by field: spreading as many into one object costs more than all the rest of a match.
    const state: TradeState = {
      seq,
      tradeId,
      marketSeq: placement.marketSeq,
      outcome,
      price,
      size,
      cost: costOf(price, size),
      makerSeq: placement.makerSeq,
      takerSeq: placement.takerSeq,
      buyer,
      seller,
      timeMs,
      stage: 'matched',
      txHash: null,
      batchIndex: null,
      isBatch: null,
      attempts: 0,
      blockNumber: null,
      minted: null,
      mint: 0n,
      reason: null,
      faultParty: null,
      failedMs: null,
    };
    this.#trades.set(tradeId, state);
    this.#created.push({ state, takerSide });
    return state;
  }

  move(seq: number, event: TradeMoved): void {
    const trade = this.#place(event, event.stage);
    this.#note(seq, event, trade);
  }

  fail(seq: number, event: TradeFailed): void {
    const trade = this.#place(event, 'failed');
    trade.reason = event.reason;
    trade.faultParty = event.faultParty;
    trade.failedMs = event.timeMs;
    this.#note(seq, event, trade);
  }

  /** Rows first, so that what is computed from them in the database sees the whole transaction. */
  async write(sql: TransactionSql): Promise<void> {
    const created = new Set(this.#created.map(({ state }) => state));
    const changed = [...this.#changed].filter((state) => !created.has(state));
    const settled = changed.filter((state) => !isPending(state) && !this.#settled.has(state));
    const unsettled = changed.filter((state) => isPending(state) && this.#settled.has(state));
    await Promise.all([
      INSERT_TRADES.run(sql, this.#created),
      UPDATE_TRADES.run(sql, changed),
      INSERT_UNSETTLED.run(sql, [...created].filter(isPending).concat(unsettled)),
      DELETE_UNSETTLED.run(sql, settled),
      INSERT_MOVES.run(sql, this.#moves),
      INSERT_TRANSACTIONS.run(sql, this.#transactions),
    ]);
  }

  #place(event: TradeMoved | TradeFailed, stage: TradeStage): TradeState {
    const trade = this.find(event.tradeId);
    const { settlement } = event;
    if (settlement !== undefined) this.#noteTransaction(trade, settlement);
    trade.stage = stage;
    if (stage === 'mined' || stage === 'confirmed') {
      trade.blockNumber = settlement?.blockNumber ?? trade.blockNumber;
      if (settlement?.minted !== undefined) trade.minted = BigInt(settlement.minted);
    } else {
      trade.blockNumber = stage === 'failed' ? (settlement?.blockNumber ?? null) : null;
      trade.minted = null;
    }
    this.#changed.add(trade);
    return trade;
  }

  #noteTransaction(trade: TradeState, settlement: TradeSettlement): void {
    const { transactionHash, batchIndex, isBatch, attempt } = settlement;
    if (transactionHash !== trade.txHash) {
      this.#transactions.push({ txHash: transactionHash, tradeSeq: trade.seq, batchIndex, isBatch });
    }
    trade.txHash = transactionHash;
    trade.batchIndex = batchIndex;
    trade.isBatch = isBatch;
    trade.attempts = attempt;
  }

  #note(seq: number, event: TradeMoved | TradeFailed, { seq: tradeSeq, stage }: TradeState): void {
    const { settlement, timeMs } = event;
    this.#moves.push({
      tradeSeq,
      seq,
      stage,
      timeMs,
      txHash: settlement?.transactionHash ?? null,
      attempt: settlement?.attempt ?? null,
      blockNumber: settlement?.blockNumber ?? null,
      reason: event.type === 'trade-failed' ? event.reason : null,
      faultParty: event.type === 'trade-failed' ? event.faultParty : null,
    });
  }
}

function isPending(trade: TradeState): boolean {
  return toTradeStatus(trade.stage) === 'pending';
}
