// The tables of trades: their columns and statements.
import type {
  Address,
  FaultParty,
  Outcome,
  Price,
  Side,
  Size,
  TradeSettlement,
  TradeStage,
  TradeStatus,
  TransactionHash,
} from '@presage/protocol';
import { amount, bytes, changing, flag, integer, orNull, type RowOf, text } from '../columns.ts';
import type { RowSource, RowStates } from '../row-states.ts';
import { Table } from '../table.ts';

/** The last transaction that a trade was sent with. */
const SENT = {
  txHash: changing(orNull(bytes<TransactionHash>())),
  batchIndex: changing(orNull(integer('integer'))),
  isBatch: changing(orNull(flag())),
  attempts: changing(integer('integer'), 0),
};

export const TRADES = new Table('trades', {
  seq: integer(),
  tradeId: text(),
  marketSeq: integer(),
  outcome: integer<Outcome>('smallint'),
  price: integer<Price>('integer'),
  size: integer<Size>(),
  cost: amount(),
  takerSide: integer<Side>('smallint'),
  makerSeq: integer(),
  takerSeq: integer(),
  buyer: bytes<Address>(),
  seller: bytes<Address>(),
  timeMs: integer(),
  stage: changing(text<TradeStage>(), 'matched'),
  ...SENT,
  blockNumber: changing(orNull(integer())),
  /** Shares minted for the sale according to the chain; null until mined. */
  minted: changing(orNull(amount())),
  /** Shares that the seller's position counts as minted for the sale; rewritten with the position. */
  countedMinted: amount(),
  reason: changing(orNull(text())),
  faultParty: changing(orNull(text<FaultParty>())),
  failedMs: changing(orNull(integer())),
  /** Taker's fee beside the price, and the maker's part of it; null where nothing was charged. */
  fee: orNull(integer()),
  makerRebate: orNull(integer()),
});

/** A trade's state on chain; empty unless it is in a block. */
export interface MinedState {
  readonly minedAt: number | undefined;
  readonly minted: bigint | undefined;
}

export const NOT_MINED: MinedState = { minedAt: undefined, minted: undefined };

export interface TradeState extends RowOf<typeof TRADES.columns> {
  countedMinted: bigint;
  /** State on chain before its last move in this transaction. */
  before?: MinedState;
}

export function noteSent(trade: TradeState, settlement: TradeSettlement): void {
  trade.txHash = settlement.transactionHash;
  trade.batchIndex = settlement.batchIndex;
  trade.isBatch = settlement.isBatch;
  trade.attempts = settlement.attempt;
}

export const INSERT_TRADES = TRADES.insert();
export const UPDATE_TRADES = TRADES.update('seq');

const BY_ID = TRADES.load('tradeId');
const BY_SEQ = TRADES.load('seq');

export const TRADE_SOURCE: RowSource<string, TradeState> = {
  what: 'trade',
  keyOf: ({ tradeId }) => tradeId,
  loadByKey: (sql, ids) => BY_ID.runEach(sql, ids),
  loadBySeq: (sql, seqs) => BY_SEQ.runEach(sql, seqs),
};

export type TradeStates = RowStates<string, TradeState>;

/** Trades that are not settled yet. */
export const PENDING_TRADES = new Table('pending_trades', { tradeSeq: integer() });
export const INSERT_PENDING = PENDING_TRADES.insert();
export const DELETE_PENDING = PENDING_TRADES.delete('tradeSeq');

export const TRADE_MOVES = new Table('trade_moves', {
  tradeSeq: integer(),
  seq: integer(),
  stage: text<TradeStage>(),
  timeMs: integer(),
  txHash: orNull(bytes<TransactionHash>()),
  attempt: orNull(integer('integer')),
  blockNumber: orNull(integer()),
  reason: orNull(text()),
  faultParty: orNull(text<FaultParty>()),
});
export const INSERT_MOVES = TRADE_MOVES.insert();

export const TRADE_TRANSACTIONS = new Table('trade_transactions', {
  txHash: bytes<TransactionHash>(),
  tradeSeq: integer(),
  batchIndex: integer('integer'),
  isBatch: flag(),
});
export type TradeTransaction = RowOf<typeof TRADE_TRANSACTIONS.columns>;
export const INSERT_TRANSACTIONS = TRADE_TRANSACTIONS.insert();
/** A trade may return to a transaction that it has left. */
export const INSERT_MISSING_TRANSACTIONS = TRADE_TRANSACTIONS.insertMissing();

/** Must agree with `selectTrades`, which computes the same in SQL. */
export function toTradeStatus(stage: TradeStage): TradeStatus {
  return stage === 'confirmed' || stage === 'failed' ? stage : 'pending';
}

/** Block that contains the trade; undefined if there is none. */
export function minedAt(trade: Pick<TradeState, 'stage' | 'blockNumber'>): number | undefined {
  return trade.stage === 'mined' || trade.stage === 'confirmed' ? (trade.blockNumber ?? undefined) : undefined;
}

export function minedStateOf(trade: TradeState): MinedState {
  const block = minedAt(trade);
  return block === undefined ? NOT_MINED : { minedAt: block, minted: trade.minted ?? undefined };
}

/**
 * Change that the last revival makes to the number of counted trades; 0 for a duplicate, which a killed settler may
 * have written.
 */
export function countRevived({ before = NOT_MINED, stage }: TradeState): 1 | 0 | -1 {
  if (before === NOT_MINED) return stage === 'confirmed' ? 1 : 0;
  return stage === 'failed' ? -1 : 0;
}
