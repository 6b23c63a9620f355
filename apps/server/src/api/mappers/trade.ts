// Maps trades and their settlement to the wire.
import { type Address, type TransactionHash, toChecksumAddress, toSeconds } from '@presage/protocol';
import type { SettlementFillRow } from '../../projections/trades/settlement-queries.ts';
import type { FailedTradeRow } from '../../projections/trades/trade-queries.ts';
import type { TradeRow } from '../../projections/trades/trade-select.ts';
import type { Wire } from '../answer.ts';

/** Fields of a trade on the wire, from the view or from the engine. */
type TradeFacts = Pick<
  TradeRow,
  | ('id' | 'tradeId' | 'marketId' | 'outcome' | 'price' | 'size' | 'cost' | 'takerSide' | 'timeMs')
  | ('buyer' | 'seller' | 'maker' | 'taker' | 'stage' | 'status' | 'txHash')
> &
  Charged;

/** Fees of a trade; without fees, the fields are missing in records and null in rows. */
interface Charged {
  readonly taker: Address;
  readonly fee?: number | null;
  readonly makerRebate?: number | null;
}

const NOT_CHARGED = { fee: 0 };

/** Fees for the wire. Spread the result last: before many fields, the spread costs a hundred times as much. */
export function toFees({ taker, fee, makerRebate }: Charged): Pick<Wire<'Trade'>, 'fee' | 'makerRebate' | 'feePayer'> {
  if (fee === undefined || fee === null) return NOT_CHARGED;
  return { fee, makerRebate: makerRebate ?? 0, feePayer: toChecksumAddress(taker) };
}

export function toTrade(row: TradeFacts): Wire<'Trade'> {
  return {
    price: row.price,
    size: row.size,
    buyer: toChecksumAddress(row.buyer),
    seller: toChecksumAddress(row.seller),
    outcome: row.outcome,
    timestamp: toSeconds(row.timeMs),
    txHash: row.txHash ?? '',
    id: row.id,
    tradeId: row.tradeId,
    marketId: row.marketId,
    side: row.takerSide,
    maker: toChecksumAddress(row.maker),
    taker: toChecksumAddress(row.taker),
    cost: row.cost,
    status: row.status,
    stage: row.stage,
    ...toFees(row),
  };
}

/** Fields shared by all listings of pending trades. */
function toFill(row: TradeRow) {
  return {
    marketId: row.marketId,
    buyerAddress: toChecksumAddress(row.buyer),
    sellerAddress: toChecksumAddress(row.seller),
    fillSize: row.size,
    fillPrice: row.price,
  };
}

export function toPendingTrade(row: TradeRow): Wire<'PendingTrade'> {
  // Listed one by one, since a spread at the front makes mapping thousands of trades twenty times slower.
  const { marketId, buyerAddress, sellerAddress, fillSize, fillPrice } = toFill(row);
  return {
    marketId,
    buyerAddress,
    sellerAddress,
    fillSize,
    fillPrice,
    txHash: row.txHash ?? '',
    timestamp: toSeconds(row.timeMs),
    isBatch: row.isBatch ?? false,
    batchIndex: row.batchIndex ?? 0,
    id: row.id,
    tradeId: row.tradeId,
    outcome: row.outcome,
    stage: row.stage,
    attempts: row.attempts,
    ...toFees(row),
  };
}

export function toFailedTrade(row: FailedTradeRow): Wire<'FailedTrade'> {
  return {
    ...toPendingTrade(row),
    reason: row.reason,
    faultParty: row.faultParty,
    failedAt: toSeconds(row.failedMs),
  };
}

type SettlementFills = readonly [SettlementFillRow, ...SettlementFillRow[]];

/** The settlement by the trades' current transaction, even if the caller asked for an older one. */
export function toSettlement(
  fills: SettlementFills,
  { txHash, headBlock }: { readonly txHash: TransactionHash; readonly headBlock: number },
): Wire<'SettlementFound'> {
  const [{ trade, batchIndex, isBatch }] = fills;
  const isMined = trade.stage === 'mined' || trade.stage === 'confirmed';
  return {
    found: true,
    // A trade that failed before it was sent again has no current transaction.
    txHash: trade.txHash ?? txHash,
    status: trade.status,
    stage: trade.stage,
    error: trade.reason,
    ...toFill(trade),
    timestamp: toSeconds(trade.timeMs),
    isBatch,
    batchIndex,
    blockNumber: isMined ? trade.blockNumber : null,
    confirmations: isMined && trade.blockNumber !== null ? Math.max(1, headBlock - trade.blockNumber + 1) : 0,
    fills: fills.map((fill) => ({
      ...toFill(fill.trade),
      id: fill.trade.id,
      tradeId: fill.trade.tradeId,
      outcome: fill.trade.outcome,
      batchIndex: fill.batchIndex,
      status: fill.trade.status,
      error: fill.trade.reason,
      ...toFees(fill.trade),
    })),
  };
}
