// The data of stream messages, from engine events and views to what the wire shows.
import type { MarketView, TradeView } from '@presage/engine';
import {
  type Address,
  BUY,
  type ClaimChanged,
  costOf,
  isDecided,
  type OrderCancelled,
  oppositeSide,
  type StreamClaim,
  type StreamFill,
  type StreamMarket,
  type StreamOrderCancelled,
  type StreamTradeStatus,
  type Trade,
  type TradeFailed,
  type TradeMatched,
  type TradeRole,
  toChecksumAddress,
  toSeconds,
} from '@presage/protocol';
import type { Answer } from '../answer.ts';
import { toClaim } from './claim.ts';
import { toMarketStatus } from './market.ts';
import { toTrade } from './trade.ts';

/** `id` is the place of the event in the journal. */
export function toMatchedTrade(event: TradeMatched, id: number): Answer<typeof Trade> {
  const [buyer, seller] = event.takerSide === BUY ? [event.taker, event.maker] : [event.maker, event.taker];
  return toTrade({
    id,
    tradeId: event.tradeId,
    marketId: event.marketId,
    outcome: event.outcome,
    price: event.price,
    size: event.size,
    timeMs: event.timeMs,
    takerSide: event.takerSide,
    maker: event.maker,
    taker: event.taker,
    buyer,
    seller,
    cost: costOf(event.price, event.size),
    stage: 'matched',
    status: 'pending',
    txHash: null,
  });
}

/** A failed trade is sent as it was, with the failure and its reason. */
export function toTradeStatus(trade: TradeView, failure: TradeFailed | undefined): Answer<typeof StreamTradeStatus> {
  const { takerSide, buyer, seller, settlement } = trade;
  const stage = failure === undefined ? trade.stage : 'failed';
  const data = toTrade({
    id: trade.id,
    tradeId: trade.tradeId,
    marketId: trade.marketId,
    outcome: trade.outcome,
    price: trade.price,
    size: trade.size,
    timeMs: trade.timeMs,
    takerSide,
    buyer,
    seller,
    stage,
    ...(takerSide === BUY ? { taker: buyer, maker: seller } : { taker: seller, maker: buyer }),
    cost: costOf(trade.price, trade.size),
    status: stage === 'failed' || stage === 'confirmed' ? stage : 'pending',
    txHash: (failure?.settlement ?? settlement)?.transactionHash ?? null,
  });
  return failure === undefined ? data : { ...data, reason: failure.reason, faultParty: failure.faultParty };
}

export function toCancelled(event: OrderCancelled): Answer<typeof StreamOrderCancelled> {
  const { orderHash, outcome, side, price, remainingSize, reason } = event;
  return { orderHash, outcome, side, price, remainingSize, reason };
}

export function toMarketChange(market: MarketView, nowSeconds: number): Answer<typeof StreamMarket> {
  return {
    marketId: market.facts.marketId,
    status: toMarketStatus(market, nowSeconds),
    resolved: isDecided(market.resolution),
    winningOutcome: market.resolution?.winningOutcome ?? null,
    expiration: market.facts.expiration,
    updatedAt: toSeconds(market.updatedMs),
  };
}

/** One side of a trade, as its owner sees it. */
export function toFillOf(
  event: TradeMatched & { readonly id: number },
  role: TradeRole,
): { owner: Address; data: Answer<typeof StreamFill> } {
  const isTaker = role === 'taker';
  const [owner, other] = isTaker ? [event.taker, event.maker] : [event.maker, event.taker];
  const data: Answer<typeof StreamFill> = {
    userAddress: toChecksumAddress(owner),
    id: event.id,
    tradeId: event.tradeId,
    orderHash: isTaker ? event.takerHash : event.makerHash,
    marketId: event.marketId,
    side: isTaker ? event.takerSide : oppositeSide(event.takerSide),
    outcome: event.outcome,
    role,
    price: event.price,
    size: event.size,
    cost: costOf(event.price, event.size),
    counterparty: toChecksumAddress(other),
    timestamp: toSeconds(event.timeMs),
    txHash: '',
    status: 'pending',
  };
  return { owner, data };
}

export function toClaimChange(record: ClaimChanged): Answer<typeof StreamClaim> {
  const claim = toClaim({ ...record, payout: BigInt(record.payout) });
  return { ...claim, status: record.status, ...(record.reason !== undefined && { reason: record.reason }) };
}
