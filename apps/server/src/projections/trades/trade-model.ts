// Read model of trades: terms, stage on chain, every move and every transaction.
import {
  BUY,
  costOf,
  type TradeFailed,
  type TradeMatched,
  type TradeMoved,
  type TradeRevived,
  type TradeSettlement,
  type TradeStage,
} from '@presage/protocol';
import type { BulkTransaction } from '../bulk-transaction.ts';
import type { MarketModel } from '../markets/market-model.ts';
import type { OrderStates } from '../orders/order-rows.ts';
import { IGNORED, type RecordTable, ViewModel } from '../view-model.ts';
import {
  DELETE_PENDING,
  INSERT_MISSING_TRANSACTIONS,
  INSERT_MOVES,
  INSERT_PENDING,
  INSERT_TRADES,
  INSERT_TRANSACTIONS,
  minedStateOf,
  NOT_MINED,
  noteSent,
  TRADES,
  type TradeState,
  type TradeStates,
  type TradeTransaction,
  toTradeStatus,
  UPDATE_TRADES,
} from './trade-rows.ts';

/** Reason for a trade that failed again after it had been revived. */
const REVIVAL_GONE = 'the block that had settled the trade after all left the chain';

export class TradeModel extends ViewModel {
  readonly #markets: MarketModel;
  readonly #orders: OrderStates;
  readonly #trades: TradeStates;
  /** Changed trades of earlier transactions, with whether each was pending before this one. */
  readonly #changed = new Map<TradeState, boolean>();
  readonly #moves = INSERT_MOVES.collect();
  readonly #firstTransactions = INSERT_TRANSACTIONS.collect();
  readonly #transactions: TradeTransaction[] = [];

  protected override readonly records: RecordTable = {
    'trade-matched': {
      keys: ({ tradeId }) => this.#trades.expect(tradeId),
      apply: (record, seq) => this.#match(record, seq),
    },
    'trade-moved': {
      keys: ({ tradeId }) => this.#trades.want(tradeId),
      apply: (record, seq) => this.#move(record, seq),
    },
    'trade-failed': {
      keys: ({ tradeId }) => this.#trades.want(tradeId),
      apply: (record, seq) => this.#fail(record, seq),
    },
    'trade-revived': {
      keys: ({ tradeId }) => this.#trades.want(tradeId),
      apply: (record, seq) => this.#revive(record, seq),
    },
    // The change of the order names the trade by its sequence.
    'order-restored': { keys: ({ tradeId }) => this.#trades.want(tradeId) },
    'order-accepted': IGNORED.record,
    'order-cancelled': IGNORED.record,
    'permit-changed': IGNORED.record,
    ...IGNORED.markets,
    ...IGNORED.shares,
    ...IGNORED.claims,
    ...IGNORED.others,
  };

  constructor(markets: MarketModel, orders: OrderStates, trades: TradeStates) {
    super();
    this.#markets = markets;
    this.#orders = orders;
    this.#trades = trades;
  }

  /** Rows are written first, so that computations in the database see the whole transaction. */
  override async write(sql: BulkTransaction): Promise<void> {
    const { created } = this.#trades;
    const changed = [...this.#changed.keys()];
    const ended = changed.filter((trade) => this.#changed.get(trade) && !isPending(trade));
    const reopened = changed.filter((trade) => !this.#changed.get(trade) && isPending(trade));
    await Promise.all([
      INSERT_TRADES.run(sql, created),
      UPDATE_TRADES.run(sql, changed),
      INSERT_PENDING.run(sql, created.filter(isPending).concat(reopened).map(toPending)),
      DELETE_PENDING.runEach(sql, ended.map(seqOf)),
      this.#moves.run(sql),
      this.#firstTransactions.run(sql),
      INSERT_MISSING_TRANSACTIONS.run(sql, this.#transactions),
    ]);
  }

  #match(event: TradeMatched, seq: number): void {
    const { tradeId, outcome, price, size, takerSide, timeMs } = event;
    const [buyer, seller] = takerSide === BUY ? [event.taker, event.maker] : [event.maker, event.taker];
    // The spread comes last: before so many fields it costs a hundred times as much.
    const state: TradeState = {
      seq,
      tradeId,
      marketSeq: this.#markets.seqOf(event.marketId),
      outcome,
      price,
      size,
      cost: costOf(price, size),
      takerSide,
      makerSeq: this.#orders.find(event.makerHash).seq,
      takerSeq: this.#orders.find(event.takerHash).seq,
      buyer,
      seller,
      timeMs,
      countedMinted: 0n,
      fee: event.fee ?? null,
      makerRebate: event.makerRebate ?? null,
      before: NOT_MINED,
      ...TRADES.start,
    };
    this.#trades.create(state);
  }

  #move(event: TradeMoved, seq: number): void {
    const trade = this.#place(event, event.stage);
    this.#note(seq, event, trade);
  }

  #fail(event: TradeFailed, seq: number): void {
    const trade = this.#place(event, 'failed');
    trade.reason = event.reason;
    trade.faultParty = event.faultParty;
    trade.failedMs = event.timeMs;
    this.#note(seq, event, trade);
  }

  #revive(event: TradeRevived, seq: number): void {
    const known = this.#trades.find(event.tradeId);
    if (isRevivedAlready(known, event)) {
      known.before = minedStateOf(known);
      return;
    }
    const trade = this.#place(event, event.stage);
    const isGone = event.stage === 'failed';
    trade.reason = isGone ? REVIVAL_GONE : null;
    trade.faultParty = isGone ? 'chain' : null;
    trade.failedMs = isGone ? event.timeMs : null;
    this.#note(seq, event, trade);
  }

  #place(event: TradeMoved | TradeFailed | TradeRevived, stage: TradeStage): TradeState {
    const trade = this.#trades.find(event.tradeId);
    if (!this.#trades.isCreated(trade) && !this.#changed.has(trade)) this.#changed.set(trade, isPending(trade));
    trade.before = minedStateOf(trade);
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
    return trade;
  }

  #noteTransaction(trade: TradeState, settlement: TradeSettlement): void {
    const { transactionHash, batchIndex, isBatch } = settlement;
    if (transactionHash !== trade.txHash) {
      const transaction = { txHash: transactionHash, tradeSeq: trade.seq, batchIndex, isBatch };
      if (trade.txHash === null) this.#firstTransactions.add(transaction);
      else this.#transactions.push(transaction);
    }
    noteSent(trade, settlement);
  }

  #note(
    seq: number,
    event: TradeMoved | TradeFailed | TradeRevived,
    { seq: tradeSeq, stage, reason, faultParty }: TradeState,
  ): void {
    const { settlement, timeMs } = event;
    const isFailure = stage === 'failed';
    this.#moves.add({
      tradeSeq,
      seq,
      stage,
      timeMs,
      txHash: settlement?.transactionHash ?? null,
      attempt: settlement?.attempt ?? null,
      blockNumber: settlement?.blockNumber ?? null,
      reason: isFailure ? reason : null,
      faultParty: isFailure ? faultParty : null,
    });
  }
}

/** Whether this is a duplicate: a settler killed at that moment writes the record twice. */
function isRevivedAlready(
  { stage, txHash, blockNumber }: TradeState,
  { stage: now, settlement }: TradeRevived,
): boolean {
  const isHere = txHash === settlement.transactionHash && blockNumber === (settlement.blockNumber ?? null);
  return stage === now && (stage === 'failed' || isHere);
}

function isPending(trade: TradeState): boolean {
  return toTradeStatus(trade.stage) === 'pending';
}

function toPending({ seq: tradeSeq }: TradeState) {
  return { tradeSeq };
}

function seqOf({ seq }: TradeState): number {
  return seq;
}
