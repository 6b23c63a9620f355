// What can be read from an engine: copies, never its own records.
import type {
  Address,
  MarketId,
  OrderHash,
  OrderStatus,
  Outcome,
  Price,
  Side,
  SignedOrder,
  Size,
  TradeSettlement,
  TradeStage,
} from '@presage/protocol/engine-types';
import { type MarketRecord, type MarketView, type OrderRecord, type TradeRecord, unfilledOf } from './records.ts';
import { buyerOf, sellerOf } from './step-draft.ts';

export interface OrderView {
  readonly signed: SignedOrder;
  readonly status: OrderStatus;
  readonly filledSize: number;
  /** On the book while open; of a final order, what was never filled. */
  readonly remainingSize: number;
  readonly acceptedMs: number;
  readonly acceptedStep: number;
  /** Time priority over the partition. */
  readonly sequence: number;
}

export interface TradeView {
  /** Unique on the service, growing with the time of the match. */
  readonly id: number;
  readonly tradeId: string;
  readonly marketId: MarketId;
  readonly timeMs: number;
  readonly outcome: Outcome;
  readonly price: Price;
  readonly size: Size;
  readonly takerSide: Side;
  readonly makerHash: OrderHash;
  readonly takerHash: OrderHash;
  readonly buyer: Address;
  readonly seller: Address;
  readonly stage: TradeStage;
  readonly movedMs: number;
  readonly settlement?: TradeSettlement;
}

/** The same object until an event changes the market: lists of all markets are read far more often than markets change. */
export function toMarketView(market: MarketRecord): MarketView {
  market.view ??= makeMarketView(market);
  return market.view;
}

function makeMarketView(market: MarketRecord): MarketView {
  const { facts, closeReason, resolution, step, tradeCount, updatedMs } = market;
  // Every order asks for its market, which is nearly always one of these; a spread costs many times as much.
  if (closeReason === undefined && resolution === undefined) {
    return { facts, status: 'open', step, tradeCount, updatedMs };
  }
  const view = { facts, step, tradeCount, updatedMs, ...(resolution && { resolution }) };
  return closeReason === undefined ? { ...view, status: 'open' } : { ...view, status: 'closed', closeReason };
}

export function toOrderView(order: OrderRecord): OrderView {
  const { accepted, status, sequence, filled } = order;
  return {
    signed: accepted,
    status,
    filledSize: filled,
    remainingSize: unfilledOf(order),
    acceptedMs: accepted.timeMs,
    acceptedStep: accepted.step,
    sequence,
  };
}

export function toTradeView(trade: TradeRecord): TradeView {
  const { fill, timeMs, maker, taker, stage, movedMs, settlement } = trade;
  const view = {
    id: fill.id,
    tradeId: fill.tradeId,
    marketId: maker.market.id,
    timeMs,
    outcome: maker.outcome,
    price: fill.price,
    size: fill.size,
    takerSide: taker.side,
    makerHash: maker.accepted.orderHash,
    takerHash: taker.accepted.orderHash,
    buyer: buyerOf(trade).account.trader,
    seller: sellerOf(trade).account.trader,
    stage,
    movedMs,
  };
  return settlement === undefined ? view : { ...view, settlement };
}
