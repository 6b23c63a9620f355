// Decides when the engine drops orders and trades: by event time alone, so that a replay drops the same ones at the same event.

import type { OrderHash } from '@presage/protocol/engine-types';
import type { MarketRecord, OrderRecord, TradeRecord } from '../records.ts';
import { LapseHeap } from './lapse-heap.ts';
import { NonceSet, toNonceKey } from './nonce-set.ts';

/**
 * A confirmed trade can still go back on a deep reorg. Past this time it cannot: finality takes 13 minutes on the
 * slowest chain we know of. Kept longer, a busy market would never stop growing.
 */
const CONFIRMED_KEPT_MS = 15 * 60_000;

export function isBeyondRecall(trade: TradeRecord, timeMs: number): boolean {
  return trade.stage === 'confirmed' && trade.movedMs + CONFIRMED_KEPT_MS <= timeMs;
}

/**
 * Drops, at the first event of a step and never inside one, every order that is final, takes part in no remembered
 * trade, and whose expiration has passed or whose market has closed. The set depends on state and time alone, not on
 * the structures that find it, so an engine restored from a checkpoint drops exactly the same orders.
 */
export class Memory {
  readonly orders = new Map<OrderHash, OrderRecord>();
  readonly #orderLapses = new LapseHeap<OrderRecord>();
  readonly #tradeLapses = new LapseHeap<TradeRecord>();
  /** Expired orders removed from the heap while still on a book: a tick will remove them. */
  readonly #expiredOpen = new Set<OrderRecord>();
  #ended: OrderRecord[] = [];
  readonly #onLeft: (market: MarketRecord) => void;

  /** `onLeft` is called with each closed market that has no remembered orders left. */
  constructor(onLeft: (market: MarketRecord) => void) {
    this.#onLeft = onLeft;
  }

  remember(order: OrderRecord): void {
    this.orders.set(order.accepted.orderHash, order);
    this.#orderLapses.push(order.lapsesMs, order);
  }

  hold(trade: TradeRecord): void {
    trade.maker.holds++;
    trade.taker.holds++;
  }

  noteConfirmed(trade: TradeRecord): void {
    this.#tradeLapses.push(trade.movedMs + CONFIRMED_KEPT_MS, trade);
  }

  /** Call it when an order became final or lost a hold. An order on a book still waits for its expiration. */
  noteEnded(order: OrderRecord, timeMs: number): void {
    const isOver = order.market.closeReason !== undefined || order.lapsesMs <= timeMs;
    if (isOver && isFree(order)) this.#ended.push(order);
    if (order.lapsesMs <= timeMs && order.status !== 'open') this.#expiredOpen.delete(order);
  }

  noteClosed(market: MarketRecord): void {
    for (const account of market.accounts.values()) {
      account.spent = undefined;
      for (const order of account.byNonce.values()) if (isFree(order)) this.#ended.push(order);
      if (account.byNonce.size === 0) market.accounts.delete(account.trader);
    }
    this.#releaseBooks(market);
  }

  forgetTrade(trade: TradeRecord, timeMs: number): void {
    trade.maker.market.trades.delete(trade);
    for (const order of [trade.maker, trade.taker]) {
      order.holds--;
      this.noteEnded(order, timeMs);
    }
  }

  /** Visits expired orders that are still on a book, in no particular order. */
  visitExpired(timeMs: number, visit: (order: OrderRecord) => void): void {
    for (const order of this.#expiredOpen) visit(order);
    this.#orderLapses.visitDue(timeMs, (order) => {
      if (order.status === 'open') visit(order);
    });
  }

  collect(timeMs: number): void {
    while (this.#tradeLapses.soonestMs <= timeMs) this.#endTrade(this.#tradeLapses.pop()!, timeMs);
    while (this.#orderLapses.soonestMs <= timeMs) this.#endOrder(this.#orderLapses.pop()!);
    if (this.#ended.length > 0) this.#forgetEnded();
  }

  /** The trade may have gone back to `retrying` and been confirmed again since it was put on the heap. */
  #endTrade(trade: TradeRecord, timeMs: number): void {
    const isRemembered = trade.maker.market.trades.get(trade.fill.tradeId) === trade;
    if (isRemembered && isBeyondRecall(trade, timeMs)) this.forgetTrade(trade, timeMs);
  }

  #endOrder(order: OrderRecord): void {
    if (order.isDropped) return;
    if (order.status === 'open') this.#expiredOpen.add(order);
    else if (isFree(order)) this.#drop(order);
  }

  #forgetEnded(): void {
    const ended = this.#ended;
    this.#ended = [];
    for (const order of ended) if (!order.isDropped && isFree(order)) this.#drop(order);
  }

  #drop(order: OrderRecord): void {
    const { account, market, accepted } = order;
    order.isDropped = true;
    this.orders.delete(accepted.orderHash);
    const key = toNonceKey(accepted.order.nonce);
    if (account.byNonce.get(key) === order) account.byNonce.delete(key);
    if (order.isNonceSpent && market.closeReason === undefined) {
      account.spent ??= new NonceSet();
      account.spent.add(accepted.order.nonce);
    }
    if (account.byNonce.size === 0 && account.spent === undefined) market.accounts.delete(account.trader);
    this.#releaseBooks(market);
  }

  /** Drops everything but facts and resolution of a closed market without remembered orders. */
  #releaseBooks(market: MarketRecord): void {
    if (market.closeReason === undefined || market.accounts.size > 0) return;
    market.books[0] = undefined;
    market.books[1] = undefined;
    this.#onLeft(market);
  }
}

function isFree(order: OrderRecord): boolean {
  return order.status !== 'open' && order.holds === 0;
}
