// Statements over the tables of trades: what is loaded before a fold and written after it.
import type { Outcome, Price, Size, TradeStage } from '@presage/protocol';
import { BulkStatement, bytes, flag, insertInto, integer, text } from './bulk-statement.ts';
import { hexOfText, maybeBigInt, maybeNumber, type Wide } from './column-values.ts';
import { type NewTrade, type TradeMove, type TradeState, type TradeTransaction, toTradeStatus } from './view-rows.ts';

export const LOAD_TRADES = new BulkStatement<string>(
  { trade_id: text((tradeId) => tradeId) },
  // Bytes as text: the client would make a buffer of them first. A failed trade never moves again, so its end is left out.
  (source) => `select t.seq, t.trade_id, t.market_seq, t.outcome, t.price, t.size, t.cost, t.maker_seq, t.taker_seq,
    t.buyer::text, t.seller::text, t.time_ms, t.stage, t.tx_hash::text, t.batch_index, t.is_batch, t.attempts,
    t.block_number, t.minted, t.mint from ${source} join presage_view.trades t using (trade_id)`,
);

export const INSERT_TRADES = insertInto<NewTrade>('trades', {
  seq: integer(({ state }) => state.seq),
  trade_id: text(({ state }) => state.tradeId),
  market_seq: integer(({ state }) => state.marketSeq),
  outcome: integer(({ state }) => state.outcome),
  price: integer(({ state }) => state.price),
  size: integer(({ state }) => state.size),
  cost: integer(({ state }) => state.cost),
  taker_side: integer((row) => row.takerSide),
  maker_seq: integer(({ state }) => state.makerSeq),
  taker_seq: integer(({ state }) => state.takerSeq),
  buyer: bytes(({ state }) => state.buyer),
  seller: bytes(({ state }) => state.seller),
  time_ms: integer(({ state }) => state.timeMs),
  stage: text(({ state }) => state.stage),
  status: text(({ state }) => toTradeStatus(state.stage)),
  tx_hash: bytes(({ state }) => state.txHash),
  batch_index: integer(({ state }) => state.batchIndex),
  is_batch: flag(({ state }) => state.isBatch),
  attempts: integer(({ state }) => state.attempts),
  block_number: integer(({ state }) => state.blockNumber),
  minted: integer(({ state }) => state.minted),
  mint: integer(({ state }) => state.mint),
  reason: text(({ state }) => state.reason),
  fault_party: text(({ state }) => state.faultParty),
  failed_ms: integer(({ state }) => state.failedMs),
});

export const UPDATE_TRADES = new BulkStatement<TradeState>(
  {
    seq: integer((row) => row.seq),
    stage: text((row) => row.stage),
    status: text((row) => toTradeStatus(row.stage)),
    tx_hash: bytes((row) => row.txHash),
    batch_index: integer((row) => row.batchIndex),
    is_batch: flag((row) => row.isBatch),
    attempts: integer((row) => row.attempts),
    block_number: integer((row) => row.blockNumber),
    minted: integer((row) => row.minted),
    reason: text((row) => row.reason),
    fault_party: text((row) => row.faultParty),
    failed_ms: integer((row) => row.failedMs),
  },
  (source) => `update presage_view.trades t set stage = given.stage, status = given.status, tx_hash = given.tx_hash,
    batch_index = given.batch_index, is_batch = given.is_batch, attempts = given.attempts,
    block_number = given.block_number, minted = given.minted, reason = given.reason, fault_party = given.fault_party,
    failed_ms = given.failed_ms from ${source} where t.seq = given.seq`,
);

export const INSERT_UNSETTLED = insertInto<TradeState>('unsettled_trades', { trade_seq: integer((row) => row.seq) });

export const DELETE_UNSETTLED = new BulkStatement<TradeState>(
  { trade_seq: integer((row) => row.seq) },
  (source) => `delete from presage_view.unsettled_trades u using ${source} where u.trade_seq = given.trade_seq`,
);

export const INSERT_MOVES = insertInto<TradeMove>('trade_moves', {
  trade_seq: integer((row) => row.tradeSeq),
  seq: integer((row) => row.seq),
  stage: text((row) => row.stage),
  time_ms: integer((row) => row.timeMs),
  tx_hash: bytes((row) => row.txHash),
  attempt: integer((row) => row.attempt),
  block_number: integer((row) => row.blockNumber),
  reason: text((row) => row.reason),
  fault_party: text((row) => row.faultParty),
});

/** A trade may be sent again in a transaction that it left before. */
export const INSERT_TRANSACTIONS = insertInto<TradeTransaction>(
  'trade_transactions',
  {
    tx_hash: bytes((row) => row.txHash),
    trade_seq: integer((row) => row.tradeSeq),
    batch_index: integer((row) => row.batchIndex),
    is_batch: flag((row) => row.isBatch),
  },
  'on conflict do nothing',
);

export interface LoadedTrade {
  readonly seq: Wide;
  readonly trade_id: string;
  readonly market_seq: Wide;
  readonly outcome: number;
  readonly price: number;
  readonly size: Wide;
  readonly cost: Wide;
  readonly maker_seq: Wide;
  readonly taker_seq: Wide;
  readonly buyer: string;
  readonly seller: string;
  readonly time_ms: Wide;
  readonly stage: TradeStage;
  readonly tx_hash: string | null;
  readonly batch_index: number | null;
  readonly is_batch: boolean | null;
  readonly attempts: number;
  readonly block_number: Wide | null;
  readonly minted: Wide | null;
  readonly mint: Wide;
}

export function toTradeState(row: LoadedTrade): TradeState {
  return {
    seq: Number(row.seq),
    tradeId: row.trade_id,
    marketSeq: Number(row.market_seq),
    outcome: row.outcome as Outcome,
    price: row.price as Price,
    size: Number(row.size) as Size,
    cost: BigInt(row.cost),
    makerSeq: Number(row.maker_seq),
    takerSeq: Number(row.taker_seq),
    buyer: hexOfText(row.buyer),
    seller: hexOfText(row.seller),
    timeMs: Number(row.time_ms),
    stage: row.stage,
    txHash: row.tx_hash === null ? null : hexOfText(row.tx_hash),
    batchIndex: row.batch_index,
    isBatch: row.is_batch,
    attempts: row.attempts,
    blockNumber: maybeNumber(row.block_number),
    minted: maybeBigInt(row.minted),
    mint: BigInt(row.mint),
    reason: null,
    faultParty: null,
    failedMs: null,
  };
}
