// Decides whether a trade may change its stage, and how a failed one repairs the book. Reads the state, changes nothing.
import {
  BUY,
  type CancelReason,
  type FailTrade,
  type FaultParty,
  type MoveTrade,
  type TradeStage,
} from '@presage/protocol/engine-types';
import { NONE } from './book/book.ts';
import { remainingOf } from './decide-order.ts';
import type { Draft } from './draft.ts';
import type { EngineState } from './engine-state.ts';
import { matchIncoming } from './matching.ts';
import { isBeyondRecall } from './memory.ts';
import { isOpenAt, type MarketRecord } from './records.ts';
import { FILLED_STATUS } from './slabs/order-slab.ts';
import { toStage } from './slabs/trade-slab.ts';

/**
 * Allowed moves, as in docs/protocol.md, "Stages". Nothing leaves `failed`; a confirmed trade can only be undone by a
 * deep reorg.
 */
export const TRADE_MOVES: Readonly<Record<TradeStage, readonly TradeStage[]>> = {
  matched: ['submitted', 'failed'],
  submitted: ['mined', 'retrying', 'failed'],
  mined: ['confirmed', 'retrying', 'failed'],
  confirmed: ['retrying'],
  retrying: ['submitted', 'failed'],
  failed: [],
};

export function decideMoveTrade(state: EngineState, draft: Draft, command: MoveTrade): Draft {
  const market = state.markets.active(command.marketId);
  const trade = findTrade(state, market, command);
  if (market === undefined || trade === NONE) return draft.refuse('trade_not_found');
  const { tradeId, stage, settlement } = command;
  if (!mayMove(state, draft, trade, stage)) return draft;
  draft.beginStep(market);
  const event = { type: 'trade-moved' as const, tradeId, stage };
  draft.add(settlement === undefined ? event : { ...event, settlement });
  return draft;
}

/**
 * Rules as in docs/protocol.md, "Repair of a failed fill". The fault is an order's, not a wallet's: both orders may
 * belong to one wallet.
 */
export function decideFailTrade(state: EngineState, draft: Draft, command: FailTrade): Draft {
  const market = state.markets.active(command.marketId);
  const trade = findTrade(state, market, command);
  if (market === undefined || trade === NONE) return draft.refuse('trade_not_found');
  if (!mayMove(state, draft, trade, 'failed')) return draft;
  const [buyer, seller] = [buyerOf(state, trade), sellerOf(state, trade)];
  draft.beginStep(market);
  draft.failedTradeId = command.tradeId;
  addFailure(state, draft, command, [buyer, seller]);
  const ending = endingParty(command);
  if (ending === 'buyer') repair(state, draft, market, { trade, ending: buyer, returning: seller });
  else if (ending === 'seller') repair(state, draft, market, { trade, ending: seller, returning: buyer });
  else {
    for (const order of [state.trades.maker(trade), state.trades.taker(trade)]) {
      bar(state, draft, order, 'settlement_failed');
    }
  }
  return draft;
}

/**
 * The party whose order ends while the other's returns: the party at fault, or the one whose order the chain has
 * already filled.
 */
function endingParty({ faultParty, overfilled }: FailTrade): FaultParty {
  return faultParty === 'chain' && overfilled !== undefined ? overfilled : faultParty;
}

function addFailure(state: EngineState, draft: Draft, command: FailTrade, parties: readonly [number, number]): void {
  const { tradeId, faultParty, reason, settlement, overfilled } = command;
  const [buyer, seller] = parties.map((order) => state.accounts.trader(state.orders.account(order)));
  const event = { type: 'trade-failed' as const, tradeId, buyer: buyer!, seller: seller!, faultParty, reason };
  draft.add({ ...event, ...(settlement && { settlement }), ...(overfilled && { overfilled }) });
}

interface Verdict {
  readonly trade: number;
  readonly ending: number;
  readonly returning: number;
}

function repair(state: EngineState, draft: Draft, market: MarketRecord, verdict: Verdict): void {
  const { ending, returning } = verdict;
  bar(state, draft, ending, 'settlement_fault');
  const obstacle = obstacleToReturn(state, market, returning, draft.timeMs);
  if (obstacle !== undefined) bar(state, draft, returning, obstacle);
  else if (isReturnable(state, returning)) comeBack(state, draft, market, verdict);
}

/** Matches the order that returns as if it were incoming, with its unfilled size including that of the failed trade. */
function comeBack(state: EngineState, draft: Draft, market: MarketRecord, { trade, ending, returning }: Verdict): void {
  const { orders, signed } = state;
  const size = state.trades.fillSize(trade);
  draft.restore(returning, size);
  draft.gone = ending;
  draft.taker = returning;
  draft.account = orders.account(returning);
  draft.side = orders.side(returning);
  draft.outcome = orders.outcome(returning);
  draft.price = orders.price(returning);
  draft.prevention = signed.terms(returning).selfTradePrevention;
  draft.left = state.unfilledOf(returning) + size;
  // Post-only orders match here too: otherwise they would leave the book crossed.
  matchIncoming(state, draft, market);
}

/** Keeps an order from returning. A cancelled order never returns, so a filled one is cancelled too, with size 0. */
function bar(state: EngineState, draft: Draft, order: number, reason: CancelReason): void {
  if (isReturnable(state, order)) draft.cancel(order, remainingOf(state, order), reason);
}

function isReturnable({ orders }: EngineState, order: number): boolean {
  return orders.isOpen(order) || orders.status(order) === FILLED_STATUS;
}

/**
 * Reason why an order that is not at fault cannot return; undefined if it can. The order is cancelled with it: a filled
 * one would otherwise keep that status although its trade failed.
 */
function obstacleToReturn(
  { signed }: EngineState,
  market: MarketRecord,
  order: number,
  timeMs: number,
): CancelReason | undefined {
  if (signed.terms(order).timeInForce !== 'GTC') return 'immediate_or_cancel';
  if (signed.expiresMs(order) <= timeMs) return 'expired';
  return isOpenAt(market, timeMs) ? undefined : 'market_closed';
}

export function buyerOf({ trades, orders }: EngineState, trade: number): number {
  return orders.side(trades.taker(trade)) === BUY ? trades.taker(trade) : trades.maker(trade);
}

export function sellerOf({ trades, orders }: EngineState, trade: number): number {
  return orders.side(trades.taker(trade)) === BUY ? trades.maker(trade) : trades.taker(trade);
}

/** The trade; NONE also if it is due to be dropped, which may not have happened yet. */
function findTrade(state: EngineState, market: MarketRecord | undefined, command: MoveTrade | FailTrade): number {
  if (market === undefined) return NONE;
  const trade = state.findTrade(market, command.tradeId);
  return trade !== NONE && isBeyondRecall(state, trade, command.timeMs) ? NONE : trade;
}

function mayMove({ trades }: EngineState, draft: Draft, trade: number, to: TradeStage): boolean {
  const from = toStage(trades.stage(trade));
  if (TRADE_MOVES[from].includes(to)) return true;
  draft.refuse('trade_move_refused', { from, to });
  return false;
}
