// Statements over the tables of trades: what is loaded before a fold and written after it.
import type {
  Address,
  FaultParty,
  Outcome,
  Price,
  Side,
  Size,
  TradeStage,
  TradeStatus,
  TransactionHash,
} from '@presage/protocol';
import { BulkStatement, bytes, flag, insertInto, integer, selectList, text } from '../bulk-statement.ts';
import { hexOfText, maybeBigInt, maybeNumber, type Wide } from '../column-values.ts';

/** What the chain says of a trade; nothing while it stands in no block. */
export interface MinedState {
  readonly minedAt: number | undefined;
  readonly minted: bigint | undefined;
}

export const NOT_MINED: MinedState = { minedAt: undefined, minted: undefined };

interface TradeTerms {
  readonly seq: number;
  readonly tradeId: string;
  readonly marketSeq: number;
  readonly outcome: Outcome;
  readonly price: Price;
  readonly size: Size;
  readonly cost: bigint;
  readonly makerSeq: number;
  readonly takerSeq: number;
  readonly buyer: Address;
  readonly seller: Address;
  readonly timeMs: number;
}

export interface TradeState extends TradeTerms {
  stage: TradeStage;
  txHash: TransactionHash | null;
  batchIndex: number | null;
  isBatch: boolean | null;
  attempts: number;
  blockNumber: number | null;
  /** Shares minted on sale as the chain says; null until mined. */
  minted: bigint | null;
  /** Shares that the seller's position counts as minted on sale. */
  countedMinted: bigint;
  reason: string | null;
  faultParty: FaultParty | null;
  failedMs: number | null;
  /** What the chain had said of it before its last move in this transaction. */
  before: MinedState;
}

export interface NewTrade {
  readonly state: TradeState;
  readonly takerSide: Side;
}

export interface TradeMove {
  readonly tradeSeq: number;
  readonly seq: number;
  readonly stage: TradeStage;
  readonly timeMs: number;
  readonly txHash: TransactionHash | null;
  readonly attempt: number | null;
  readonly blockNumber: number | null;
  readonly reason: string | null;
  readonly faultParty: FaultParty | null;
}

export interface TradeTransaction {
  readonly txHash: TransactionHash;
  readonly tradeSeq: number;
  readonly batchIndex: number;
  readonly isBatch: boolean;
}

/** A failed trade never moves again, so its end is left out. */
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
  readonly counted_minted: Wide;
}

const LOADED = selectList<LoadedTrade>({
  // Bytes as text: the client would make a buffer of them first.
  seq: 't.seq',
  trade_id: 't.trade_id',
  market_seq: 't.market_seq',
  outcome: 't.outcome',
  price: 't.price',
  size: 't.size',
  cost: 't.cost',
  maker_seq: 't.maker_seq',
  taker_seq: 't.taker_seq',
  buyer: 't.buyer::text',
  seller: 't.seller::text',
  time_ms: 't.time_ms',
  stage: 't.stage',
  tx_hash: 't.tx_hash::text',
  batch_index: 't.batch_index',
  is_batch: 't.is_batch',
  attempts: 't.attempts',
  block_number: 't.block_number',
  minted: 't.minted',
  counted_minted: 't.counted_minted',
});

export const LOAD_TRADES = new BulkStatement<string>(
  { trade_id: text((tradeId) => tradeId) },
  (source) => `select ${LOADED} from ${source} join presage_view.trades t using (trade_id)`,
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
  counted_minted: integer(({ state }) => state.countedMinted),
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

export const INSERT_PENDING = insertInto<TradeState>('pending_trades', { trade_seq: integer((row) => row.seq) });

export const DELETE_PENDING = new BulkStatement<TradeState>(
  { trade_seq: integer((row) => row.seq) },
  (source) => `delete from presage_view.pending_trades p using ${source} where p.trade_seq = given.trade_seq`,
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
    countedMinted: BigInt(row.counted_minted),
    reason: null,
    faultParty: null,
    failedMs: null,
    before: NOT_MINED,
  };
}

export function toTradeStatus(stage: TradeStage): TradeStatus {
  return stage === 'confirmed' || stage === 'failed' ? stage : 'pending';
}

/** The block a trade stands in, while it stands in one. */
export function minedAt(trade: Pick<TradeState, 'stage' | 'blockNumber'>): number | undefined {
  return trade.stage === 'mined' || trade.stage === 'confirmed' ? (trade.blockNumber ?? undefined) : undefined;
}

export function minedStateOf(trade: TradeState): MinedState {
  const block = minedAt(trade);
  return block === undefined ? NOT_MINED : { minedAt: block, minted: trade.minted ?? undefined };
}
