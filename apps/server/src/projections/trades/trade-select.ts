// Trades as queries read them, each with its market and both orders.
import type {
  Address,
  FaultParty,
  MarketId,
  OrderHash,
  Outcome,
  Price,
  Side,
  Size,
  TradeStage,
  TradeStatus,
  TransactionHash,
} from '@presage/protocol';
import type { Row } from 'postgres';
import type { Sql } from '../../store/column-types.ts';
import { hexOf, maybeBigInt, maybeHexOf, maybeNumber } from '../column-values.ts';

export interface TradeRow {
  /** The place of its match in the journal. */
  readonly id: number;
  readonly tradeId: string;
  readonly marketId: MarketId;
  readonly outcome: Outcome;
  readonly price: Price;
  readonly size: Size;
  readonly cost: bigint;
  readonly takerSide: Side;
  readonly buyer: Address;
  readonly seller: Address;
  readonly maker: Address;
  readonly taker: Address;
  readonly makerHash: OrderHash;
  readonly takerHash: OrderHash;
  readonly timeMs: number;
  readonly stage: TradeStage;
  readonly status: TradeStatus;
  /** Of the transaction it was last sent with. */
  readonly txHash: TransactionHash | null;
  readonly batchIndex: number | null;
  readonly isBatch: boolean | null;
  readonly attempts: number;
  readonly blockNumber: number | null;
  /** Shares minted on sale, as the chain says; null until mined. */
  readonly minted: bigint | null;
  readonly reason: string | null;
  readonly faultParty: FaultParty | null;
  readonly failedMs: number | null;
}

/** Every trade with its market and both orders; a `where` follows. */
export function selectTrades(sql: Sql) {
  return sql`select t.*, m.id as market_id, maker.hash as maker_hash, maker.trader as maker, taker.hash as taker_hash,
    taker.trader as taker from presage_view.trades t
    join presage_view.markets m on m.seq = t.market_seq
    join presage_view.orders maker on maker.seq = t.maker_seq
    join presage_view.orders taker on taker.seq = t.taker_seq`;
}

export function toTradeRow(row: Row): TradeRow {
  return {
    id: Number(row.seq),
    tradeId: row.trade_id,
    marketId: hexOf(row.market_id),
    outcome: row.outcome,
    price: row.price,
    size: Number(row.size) as Size,
    cost: BigInt(row.cost),
    takerSide: row.taker_side,
    buyer: hexOf(row.buyer),
    seller: hexOf(row.seller),
    maker: hexOf(row.maker),
    taker: hexOf(row.taker),
    makerHash: hexOf(row.maker_hash),
    takerHash: hexOf(row.taker_hash),
    timeMs: Number(row.time_ms),
    stage: row.stage,
    status: row.status,
    txHash: maybeHexOf(row.tx_hash),
    batchIndex: row.batch_index,
    isBatch: row.is_batch,
    attempts: row.attempts,
    blockNumber: maybeNumber(row.block_number),
    minted: maybeBigInt(row.minted),
    reason: row.reason,
    faultParty: row.fault_party,
    failedMs: maybeNumber(row.failed_ms),
  };
}
