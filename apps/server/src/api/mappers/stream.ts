// Maps engine events and views to the data of stream messages.
import type { MarketView, TradeView } from '@presage/engine';
import {
  type Address,
  BUY,
  type ClaimChanged,
  chanceOf,
  costOf,
  explainRefusal,
  isDecided,
  type MarketEvent,
  type MarketId,
  type OrderCancelled,
  oppositeSide,
  quoteYes,
  type TradeFailed,
  type TradeMatched,
  type TradeRole,
  toChecksumAddress,
  toSeconds,
} from '@presage/protocol';
import type { MarketReads } from '../../host/ports.ts';
import type { Wire } from '../answer.ts';
import { type ListedEvent, toEventStatus } from '../event-list.ts';
import { bestPricesOf, toEventOfMarket, toMarketStatus } from './market.ts';
import { toClaim } from './resolution.ts';
import { toFees, toTrade } from './trade.ts';

/** Maps a match; `id` is the sequence of the event in the journal. */
export function toMatchedTrade(event: TradeMatched, id: number): Wire<'Trade'> {
  const [buyer, seller] = event.takerSide === BUY ? [event.taker, event.maker] : [event.maker, event.taker];
  const cost = costOf(event.price, event.size);
  return toTrade({ ...event, id, buyer, seller, cost, stage: 'matched', status: 'pending', txHash: null });
}

/** Maps a trade's status. A failed trade keeps its fields, with the failure and its reason. */
export function toTradeStatus(trade: TradeView, failure: TradeFailed | undefined): Wire<'StreamTradeStatus'> {
  const { takerSide, buyer, seller, settlement } = trade;
  const stage = failure === undefined ? trade.stage : 'failed';
  const data = toTrade({
    ...trade,
    stage,
    ...(takerSide === BUY ? { taker: buyer, maker: seller } : { taker: seller, maker: buyer }),
    cost: costOf(trade.price, trade.size),
    status: stage === 'failed' || stage === 'confirmed' ? stage : 'pending',
    txHash: (failure?.settlement ?? settlement)?.transactionHash ?? null,
  });
  return failure === undefined ? data : { ...data, reason: failure.reason, faultParty: failure.faultParty };
}

export function toCancelled(event: OrderCancelled): Wire<'StreamOrderCancelled'> {
  const { orderHash, outcome, side, price, remainingSize, reason } = event;
  return { orderHash, outcome, side, price, remainingSize, reason };
}

export function toMarketChange(market: MarketView, nowSeconds: number): Wire<'StreamMarket'> {
  return {
    marketId: market.facts.marketId,
    status: toMarketStatus(market, nowSeconds),
    resolved: isDecided(market.resolution),
    winningOutcome: market.resolution?.winningOutcome ?? null,
    expiration: market.facts.expiration,
    updatedAt: toSeconds(market.updatedMs),
    ...(market.facts.event && { event: toEventOfMarket(market.facts.event) }),
  };
}

/** Best prices of one outcome of an event. */
export type OutcomeQuote = Wire<'StreamOutcome'>;

export function toOutcomeQuote(reads: MarketReads, marketId: MarketId, { id, index }: MarketEvent): OutcomeQuote {
  const best = bestPricesOf(reads, marketId);
  const chance = chanceOf(quoteYes(best), 0);
  const prices = { bestBidPrice: best.yesBid, bestAskPrice: best.yesAsk, bestNoAskPrice: best.noAsk };
  return { eventId: id, index, marketId, ...prices, chance };
}

export function toEventSnapshot(reads: MarketReads, event: ListedEvent, nowSeconds: number): Wire<'StreamEvent'> {
  return {
    eventId: event[0].event.id,
    status: toEventStatus(event, nowSeconds),
    outcomes: event.map(({ view, event: of }) => ({
      ...toOutcomeQuote(reads, view.facts.marketId, of),
      name: of.name,
      status: toMarketStatus(view, nowSeconds),
      winningOutcome: view.resolution?.winningOutcome ?? null,
    })),
  };
}

/** Maps one side of a trade for its owner. */
export function toFillOf(
  event: TradeMatched & { readonly id: number },
  role: TradeRole,
): { owner: Address; data: Wire<'StreamFill'> } {
  const isTaker = role === 'taker';
  const [owner, other] = isTaker ? [event.taker, event.maker] : [event.maker, event.taker];
  const data: Wire<'StreamFill'> = {
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
    ...toFees(event),
  };
  return { owner, data };
}

export function toClaimChange(record: ClaimChanged): Wire<'StreamClaim'> {
  const claim = toClaim({ ...record, payout: BigInt(record.payout) });
  return {
    ...claim,
    status: record.status,
    ...(record.reason !== undefined && { reason: explainRefusal(record.reason) }),
  };
}
