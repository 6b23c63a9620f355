// Decides when the engine drops orders and trades, by event time alone, so that a replay drops the same ones at the same event.
import { NONE } from './book/book.ts';
import type { EngineState } from './engine-state.ts';
import type { MarketRecord } from './records.ts';
import { FIRST_FINAL } from './slabs/account-slab.ts';
import { NonceSet } from './slabs/nonce-set.ts';
import { CONFIRMED } from './slabs/trade-slab.ts';

/**
 * A confirmed trade can still be undone by a deep reorg, but not after this time: finality takes 13 minutes on the
 * slowest known chain. Keeping trades longer would let a busy market grow forever.
 */
export const CONFIRMED_KEPT_MS = 15 * 60_000;

export function isBeyondRecall({ trades }: EngineState, trade: number, timeMs: number): boolean {
  return trades.stage(trade) === CONFIRMED && trades.movedMs(trade) + CONFIRMED_KEPT_MS <= timeMs;
}

export function noteConfirmed({ trades, tradeLapses }: EngineState, trade: number): void {
  tradeLapses.push(trades.movedMs(trade) + CONFIRMED_KEPT_MS, trade, trades.stamp(trade));
}

/** Must be called when an order became final or lost a hold. An order on a book still waits for its expiration. */
export function noteEnded(state: EngineState, order: number, timeMs: number): void {
  const hasLapsed = state.orders.lapsesMs(order) <= timeMs;
  const isOver = hasLapsed || state.marketOf(order).closeReason !== undefined;
  if (isOver && isFree(state, order)) state.ended.push(order);
  if (hasLapsed && state.expiredOpen.size > 0 && !state.orders.isOpen(order)) state.expiredOpen.delete(order);
}

export function noteClosed(state: EngineState, market: MarketRecord): void {
  const { accounts } = state;
  for (let account = market.firstAccount; account !== NONE; ) {
    const next = accounts.next(account);
    accounts.setSpent(account, undefined);
    for (let order = accounts.head(account, FIRST_FINAL); order !== NONE; order = state.nextListed(order)) {
      if (isFree(state, order)) state.ended.push(order);
    }
    if (accounts.orders(account) === 0) state.removeAccount(market, account);
    account = next;
  }
  releaseBooks(state, market);
}

export function forgetTrade(state: EngineState, market: MarketRecord, trade: number, timeMs: number): void {
  const { trades, orders } = state;
  const maker = trades.maker(trade);
  const taker = trades.taker(trade);
  if (market.firstTrade === trade) market.firstTrade = trades.next(trade);
  if (market.lastTrade === trade) market.lastTrade = trades.previous(trade);
  market.rememberedTrades--;
  trades.forget(trade, market.number);
  orders.addHold(maker, -1);
  orders.addHold(taker, -1);
  noteEnded(state, maker, timeMs);
  noteEnded(state, taker, timeMs);
}

/** Visits expired orders that are still on a book, in no particular order. */
export function visitExpired(state: EngineState, timeMs: number, visit: (order: number) => void): void {
  for (const order of state.expiredOpen) visit(order);
  state.orderLapses.visitDue(timeMs, (order, stamp) => {
    if (state.orders.isStill(order, stamp) && state.orders.isOpen(order)) visit(order);
  });
}

/** Whether an order that may still be on a book has expired. */
export function hasExpired({ expiredOpen, orderLapses }: EngineState, timeMs: number): boolean {
  return expiredOpen.size > 0 || orderLapses.soonestMs <= timeMs;
}

/**
 * Drops, at the first event of a step and never inside one, every order that is final, takes part in no remembered
 * trade, and whose expiration has passed or whose market has closed. The set depends on state and time alone, not on
 * the structures that find it, so an engine restored from a checkpoint drops exactly the same orders.
 */
export function collect(state: EngineState, timeMs: number): void {
  while (state.tradeLapses.soonestMs <= timeMs) endTrade(state, timeMs);
  while (state.orderLapses.soonestMs <= timeMs) endOrder(state);
  if (state.ended.length > 0) forgetEnded(state);
}

/** The trade may have gone back to `retrying` and been confirmed again since it was put on the heap. */
function endTrade(state: EngineState, timeMs: number): void {
  const { tradeLapses, trades } = state;
  const trade = tradeLapses.soonest!;
  const { stamp } = tradeLapses;
  tradeLapses.pop();
  if (!trades.isRemembered(trade) || trades.stamp(trade) !== stamp || !isBeyondRecall(state, trade, timeMs)) return;
  forgetTrade(state, state.marketOf(trades.maker(trade)), trade, timeMs);
}

function endOrder(state: EngineState): void {
  const { orderLapses, orders } = state;
  const order = orderLapses.soonest!;
  const { stamp } = orderLapses;
  orderLapses.pop();
  if (!orders.isStill(order, stamp)) return;
  if (orders.isOpen(order)) state.expiredOpen.add(order);
  else if (isFree(state, order)) drop(state, order);
}

function forgetEnded(state: EngineState): void {
  const { ended } = state;
  state.ended = [];
  for (const order of ended) if (state.orders.isPresent(order) && isFree(state, order)) drop(state, order);
}

function drop(state: EngineState, order: number): void {
  const { orders, accounts, signed } = state;
  const market = state.marketOf(order);
  const account = orders.account(order);
  state.unlink(order, FIRST_FINAL);
  state.freeNonce(order);
  accounts.countOrder(account, -1);
  if (orders.isSpent(order) && market.closeReason === undefined) {
    const spent = accounts.spent(account) ?? new NonceSet();
    spent.add(signed.nonceLow(order), signed.nonceHigh(order));
    accounts.setSpent(account, spent);
  }
  state.trades.dropAnswer(orders.lastFill(order));
  orders.end(order);
  signed.release(order);
  state.rememberedCount--;
  if (state.newest === order) state.newest = NONE;
  if (accounts.orders(account) === 0 && accounts.spent(account) === undefined) state.removeAccount(market, account);
  releaseBooks(state, market);
}

/**
 * Drops everything but facts and resolution of a closed market without remembered orders; once decided, these are kept
 * as bytes.
 */
function releaseBooks(state: EngineState, market: MarketRecord): void {
  if (market.closeReason === undefined || market.accountCount > 0) return;
  market.books[0] = undefined;
  market.books[1] = undefined;
  state.liveMarkets.delete(market);
  state.markets.noteOver(market);
}

function isFree({ orders }: EngineState, order: number): boolean {
  return !orders.isOpen(order) && orders.holds(order) === 0;
}
