// Applies an event to the state. Needs only these two, because a replay has no commands.

import { NONE } from '@presage/engine';
import {
  type EngineEvent,
  type MarketClosed,
  type OrderAccepted,
  type OrderCancelled,
  type OrderRestored,
  oppositeSide,
  sortKeys,
  type TradeFailed,
  type TradeMatched,
  type TradeMoved,
} from '@presage/protocol/engine-types';
import type { EngineState } from './engine-state.ts';
import type { Fill, MarketRecord, OrderRecord, TradeRecord } from './records.ts';

/** Without `seq` the event counts as the next one: an engine that does not share a journal counts events itself. */
export function evolve(state: EngineState, event: EngineEvent, seq = state.seq + 1): void {
  state.seq = seq;
  const market = event.type === 'market-listed' ? state.addMarket(event.market) : state.market(event.marketId);
  enterStep(state, market, event);
  switch (event.type) {
    case 'market-closed':
      closeMarket(state, market, event);
      break;
    case 'order-accepted':
      acceptOrder(state, event);
      break;
    case 'trade-matched':
      matchTrade(state, market, event);
      break;
    case 'order-cancelled':
      cancelOrder(state, event);
      break;
    case 'order-restored':
      restoreOrder(state, event);
      break;
    case 'trade-moved':
      moveTrade(state, market, event);
      break;
    case 'trade-failed':
      failTrade(state, market, event);
      break;
    case 'resolution-changed':
      market.resolution = sortKeys(event.resolution);
      break;
    case 'market-listed':
      state.marketLapses.push(market.lapsesMs, market);
      break;
    default:
      event satisfies never;
  }
}

/** A gap means that the journal lost records or that another engine wrote to it: throwing is better than guessing. */
function enterStep(state: EngineState, market: MarketRecord, event: EngineEvent): void {
  if (event.timeMs < state.timeMs) throw new Error(`event at ${event.timeMs} follows one at ${state.timeMs}`);
  if (event.step !== market.step) {
    if (event.step !== market.step + 1) {
      throw new Error(`step ${event.step} of market ${market.id} follows step ${market.step}`);
    }
    market.step = event.step;
    state.memory.collect(event.timeMs);
  }
  market.updatedMs = event.timeMs;
  state.timeMs = event.timeMs;
}

function closeMarket(state: EngineState, market: MarketRecord, event: MarketClosed): void {
  market.closeReason = event.reason;
  state.memory.noteClosed(market);
  state.noteClosing(market);
  const lapses = state.marketLapses;
  while (lapses.soonest !== undefined && lapses.soonest.closeReason !== undefined) lapses.pop();
}

function acceptOrder(state: EngineState, event: OrderAccepted): void {
  state.sequence++;
  state.newest = state.addOrder(event, state.sequence);
  state.putOnBook(state.newest, event.order.size);
}

function matchTrade(state: EngineState, market: MarketRecord, event: TradeMatched): void {
  const { tradeId, timeMs, price, size } = event;
  const maker = findMaker(state, market, event);
  const taker = findTaker(state, event);
  takeFilled(state, maker, size);
  takeFilled(state, taker, size);
  market.tradeCount++;
  const fill: Fill = { id: state.seq, tradeId, price, size, previous: taker.lastFirstFill };
  if (taker.accepted.step === event.step) answerFill(taker, fill);
  const trade: TradeRecord = {
    fill,
    timeMs,
    maker,
    taker,
    stage: 'matched',
    settlement: undefined,
    movedMs: timeMs,
  };
  market.trades.add(trade, market.tradeCount);
  state.memory.hold(trade);
}

/** The maker is nearly always first in the book. The map of all orders is large, and a look-up in it would be most of a fill's cost. */
function findMaker(
  state: EngineState,
  market: MarketRecord,
  { outcome, takerSide, makerHash }: TradeMatched,
): OrderRecord {
  const slot = market.books[outcome]?.first(oppositeSide(takerSide)) ?? NONE;
  const first = slot === NONE ? undefined : state.resting(slot);
  return first?.accepted.orderHash === makerHash ? first : state.order(makerHash);
}

/** The taker is nearly always the order that was just accepted; otherwise one that was restored. */
function findTaker(state: EngineState, { takerHash }: TradeMatched): OrderRecord {
  const { newest } = state;
  return newest?.accepted.orderHash === takerHash ? newest : state.order(takerHash);
}

function takeFilled(state: EngineState, order: OrderRecord, size: number): void {
  const left = state.book(order.market, order.outcome).take(order.slot, size);
  order.filled += size;
  order.isNonceSpent = true;
  if (left > 0) return;
  order.status = 'filled';
  state.freeSlot(order);
}

function answerFill(taker: OrderRecord, fill: Fill): void {
  taker.lastFirstFill = fill;
  taker.firstStatus = taker.status;
}

function cancelOrder(state: EngineState, event: OrderCancelled): void {
  const order = state.order(event.orderHash);
  let taken = 0;
  if (order.slot !== NONE) {
    taken = state.book(order.market, order.outcome).remove(order.slot);
    state.freeSlot(order);
  }
  if (taken !== event.remainingSize) throw new Error(`${event.remainingSize} cancelled of ${taken} on the book`);
  order.status = event.reason === 'expired' ? 'expired' : 'cancelled';
  // A cancellation on chain uses up the nonce there: a later order with it could never settle.
  if (event.reason === 'cancelled_on_chain') order.isNonceSpent = true;
  if (order.accepted.step === event.step) order.firstStatus = order.status;
  state.memory.noteEnded(order, event.timeMs);
}

function restoreOrder(state: EngineState, event: OrderRestored): void {
  const order = state.order(event.orderHash);
  if (order.slot === NONE) state.putOnBook(order, event.size);
  else state.book(order.market, order.outcome).give(order.slot, event.size);
}

function moveTrade(state: EngineState, market: MarketRecord, event: TradeMoved): void {
  const trade = market.trades.get(event.tradeId);
  if (trade === undefined) throw new Error(`trade ${event.tradeId} moved, but it is not remembered`);
  trade.stage = event.stage;
  trade.movedMs = event.timeMs;
  if (event.settlement !== undefined) trade.settlement = event.settlement;
  if (event.stage === 'confirmed') state.memory.noteConfirmed(trade);
}

function failTrade(state: EngineState, market: MarketRecord, event: TradeFailed): void {
  const trade = market.trades.get(event.tradeId);
  if (trade === undefined) throw new Error(`trade ${event.tradeId} failed, but it is not remembered`);
  trade.maker.filled -= trade.fill.size;
  trade.taker.filled -= trade.fill.size;
  state.memory.forgetTrade(trade, event.timeMs);
}
