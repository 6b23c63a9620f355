// Applies decisions, made here or elsewhere, to the state: the only code that changes it, live and in a replay.
import {
  type CancelReason,
  type MarketResolution,
  ORDER_STATUSES,
  sortKeys,
  TRADE_STAGES,
  type TradeSettlement,
  type TradeStage,
} from '@presage/protocol/engine-types';
import { NONE } from './book/book.ts';
import type { EngineState } from './engine-state.ts';
import { collect, forgetTrade, noteClosed, noteConfirmed, noteEnded } from './memory.ts';
import type { MarketRecord } from './records.ts';
import { FIRST_FINAL, FIRST_OPEN } from './slabs/account-slab.ts';
import {
  ACCOUNT,
  FILLED_STATUS,
  LAPSES,
  OPEN,
  ORDER_NUMBERS,
  ORDER_WORDS,
  REMAINING,
  SEQUENCE,
} from './slabs/order-slab.ts';
import type { PackedCommands } from './slabs/packed-commands.ts';

const CANCELLED = ORDER_STATUSES.indexOf('cancelled');
const EXPIRED = ORDER_STATUSES.indexOf('expired');

/** Throws on a gap: the journal lost something or another engine wrote to it, and stopping is better than guessing. */
export function enterStep(state: EngineState, market: MarketRecord, step: number, timeMs: number): void {
  if (timeMs < state.timeMs) throw new Error(`event at ${timeMs} follows one at ${state.timeMs}`);
  if (step !== market.step) {
    if (step !== market.step + 1) throw new Error(`step ${step} of market ${market.id} follows step ${market.step}`);
    market.step = step;
    collect(state, timeMs);
  }
  market.updatedMs = timeMs;
  market.view = undefined;
  state.timeMs = timeMs;
}

export function closeMarket(state: EngineState, market: MarketRecord, reason: MarketRecord['closeReason']): void {
  market.closeReason = reason;
  noteClosed(state, market);
  state.noteClosing(market);
  const { marketLapses, markets } = state;
  while (marketLapses.soonest !== undefined && !isOpen(markets.activeAt(marketLapses.soonest))) marketLapses.pop();
}

function isOpen(market: MarketRecord | undefined): boolean {
  return market !== undefined && market.closeReason === undefined;
}

export function resolveMarket(state: EngineState, market: MarketRecord, resolution: MarketResolution): void {
  market.resolution = sortKeys(resolution);
  state.markets.noteOver(market);
}

/**
 * Adds the newest order with its whole size pending: fills and cancels of its step take from it, the rest goes on the
 * book by the end of the step.
 */
export function acceptOrder(state: EngineState, market: MarketRecord, packed: PackedCommands, at: number): void {
  state.sequence++;
  packed.stamp(at, market.step, state.timeMs);
  const order = addOrder(state, market, packed, at, state.sequence);
  state.orders.numbers[order * ORDER_NUMBERS + REMAINING] = packed.size(at);
  state.newest = order;
  state.pending = order;
}

/** Adds an order that is open and not on the book yet. */
export function addOrder(
  state: EngineState,
  market: MarketRecord,
  packed: PackedCommands,
  at: number,
  sequence: number,
): number {
  const { orders } = state;
  const order = state.signed.add(packed, at, sequence);
  orders.begin(order, packed.side(at), packed.outcome(at), packed.price(at));
  const account = state.accountFor(market, packed.words, packed.traderWord(at));
  const lapsesMs = Math.min(packed.expiresMs(at), market.lapsesMs);
  orders.words[order * ORDER_WORDS + ACCOUNT] = account;
  orders.numbers[order * ORDER_NUMBERS + SEQUENCE] = sequence;
  orders.numbers[order * ORDER_NUMBERS + LAPSES] = lapsesMs;
  state.accounts.countOrder(account, 1);
  state.holdNonce(order);
  state.orderLapses.push(lapsesMs, order, orders.stamp(order));
  state.rememberedCount++;
  return order;
}

/** Puts the rest of the newest order on the book. */
export function settlePending(state: EngineState): void {
  const { pending } = state;
  if (pending === NONE) return;
  state.pending = NONE;
  putOnBook(state, pending, state.orders.remaining(pending));
}

/** Puts an order on the book that is in neither list of its account. */
export function putOnBook(state: EngineState, order: number, size: number): void {
  const { orders } = state;
  const market = state.marketOf(order);
  state.link(order, FIRST_OPEN);
  market.openCount++;
  state.restingCount++;
  orders.setStatus(order, OPEN);
  state
    .book(market, orders.outcome(order))
    .insert(order, orders.side(order), orders.price(order), orders.sequence(order), size);
}

/** Moves an order that has left its book to the final orders of its account. */
function becomeFinal(state: EngineState, market: MarketRecord, order: number): void {
  if (order === state.pending) state.pending = NONE;
  else {
    state.unlink(order, FIRST_OPEN);
    market.openCount--;
    state.restingCount--;
    if (market.openCount === 0) state.closing.delete(market);
  }
  state.link(order, FIRST_FINAL);
}

export function matchTrade(state: EngineState, market: MarketRecord, maker: number, taker: number, size: number): void {
  const { orders, trades, signed } = state;
  takeFilled(state, market, maker, size);
  takeFilled(state, market, taker, size);
  market.tradeCount++;
  const trade = trades.begin(state.seq, market.tradeCount, orders.price(maker), size);
  if (signed.step(taker) === market.step) {
    trades.answer(trade, orders.lastFill(taker));
    orders.setLastFill(taker, trade);
    orders.setFirstStatus(taker, orders.status(taker));
  }
  trades.setTime(trade, state.timeMs);
  trades.move(trade, 0, state.timeMs);
  rememberTrade(state, market, trade, maker, taker);
}

export function rememberTrade(
  state: EngineState,
  market: MarketRecord,
  trade: number,
  maker: number,
  taker: number,
): void {
  state.trades.remember(trade, market.number, maker, taker, market.lastTrade);
  if (market.firstTrade === NONE) market.firstTrade = trade;
  market.lastTrade = trade;
  market.rememberedTrades++;
  state.orders.addHold(maker, 1);
  state.orders.addHold(taker, 1);
}

function takeFilled(state: EngineState, market: MarketRecord, order: number, size: number): void {
  const { orders } = state;
  const left =
    order === state.pending
      ? takePending(state, order, size)
      : state.book(market, orders.outcome(order)).take(order, size);
  orders.addFilled(order, size);
  orders.spend(order);
  if (left > 0) return;
  orders.setStatus(order, FILLED_STATUS);
  becomeFinal(state, market, order);
}

function takePending({ orders }: EngineState, order: number, size: number): number {
  const left = orders.remaining(order) - size;
  if (left < 0) throw new RangeError(`cannot take ${size} from ${orders.remaining(order)}`);
  orders.numbers[order * ORDER_NUMBERS + REMAINING] = left;
  return left;
}

export function cancelOrder(state: EngineState, order: number, remaining: number, reason: CancelReason): void {
  const { orders } = state;
  const market = state.marketOf(order);
  const taken = takeAll(state, market, order);
  if (taken !== remaining) throw new Error(`${remaining} cancelled of ${taken} on the book`);
  orders.setStatus(order, reason === 'expired' ? EXPIRED : CANCELLED);
  // A cancel on chain uses up the nonce there: a later order with it could never settle.
  if (reason === 'cancelled_on_chain') orders.spend(order);
  if (state.signed.step(order) === market.step) orders.setFirstStatus(order, orders.status(order));
  noteEnded(state, order, state.timeMs);
}

function takeAll(state: EngineState, market: MarketRecord, order: number): number {
  const { orders } = state;
  if (order !== state.pending && !orders.isOnBook(order)) return 0;
  const isPending = order === state.pending;
  const taken = isPending ? orders.remaining(order) : state.book(market, orders.outcome(order)).remove(order);
  if (isPending) orders.numbers[order * ORDER_NUMBERS + REMAINING] = 0;
  becomeFinal(state, market, order);
  return taken;
}

export function restoreOrder(state: EngineState, order: number, size: number): void {
  const { orders } = state;
  if (orders.isOnBook(order)) {
    state.book(state.marketOf(order), orders.outcome(order)).give(order, size);
    return;
  }
  state.unlink(order, FIRST_FINAL);
  putOnBook(state, order, size);
}

export function moveTrade(state: EngineState, trade: number, stage: TradeStage, settlement?: TradeSettlement): void {
  state.trades.move(trade, TRADE_STAGES.indexOf(stage), state.timeMs);
  if (settlement !== undefined) state.trades.settlements[trade] = settlement;
  if (stage === 'confirmed') noteConfirmed(state, trade);
}

export function failTrade(state: EngineState, market: MarketRecord, trade: number): void {
  const { trades, orders } = state;
  const size = trades.fillSize(trade);
  orders.addFilled(trades.maker(trade), -size);
  orders.addFilled(trades.taker(trade), -size);
  forgetTrade(state, market, trade, state.timeMs);
}
