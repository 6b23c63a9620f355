// A second engine from the state of a first one: what a checkpoint would carry over, without writing and parsing it.
import { noteClosedMarkets } from './checkpoint.ts';
import type { EngineState } from './engine-state.ts';
import { type MarketRecord, type OrderRecord, type TradeRecord, unfilledOf } from './records.ts';
import { ordersByMarket } from './taken-state.ts';

/** Fills an empty state. Objects that no event changes are shared: facts, resolutions, accepted orders and fills. */
export function copyState(from: EngineState, to: EngineState): void {
  to.sequence = from.sequence;
  to.timeMs = from.timeMs;
  to.seq = from.seq;
  const orders = ordersByMarket(from);
  for (const market of from.markets.values()) copyMarket(to, market, orders.get(market) ?? []);
  noteClosedMarkets(to);
}

function copyMarket(to: EngineState, from: MarketRecord, orders: readonly OrderRecord[]): void {
  const market = to.addMarket(from.facts);
  market.closeReason = from.closeReason;
  market.resolution = from.resolution;
  market.step = from.step;
  market.tradeCount = from.tradeCount;
  market.updatedMs = from.updatedMs;
  if (from.closeReason === undefined) to.marketLapses.push(market.lapsesMs, market);
  for (const { trader, spent } of from.accounts.values()) {
    if (spent !== undefined) to.account(market, trader).spent = spent.copy();
  }
  for (const order of orders) copyOrder(to, order);
  for (const trade of from.trades.values()) copyTrade(to, market, trade);
}

function copyOrder(to: EngineState, from: OrderRecord): void {
  const order = to.addOrder(from.accepted, from.sequence);
  order.filled = from.filled;
  order.status = from.status;
  order.isNonceSpent = from.isNonceSpent;
  order.firstStatus = from.firstStatus;
  order.lastFirstFill = from.lastFirstFill;
  if (from.status === 'open') to.putOnBook(order, unfilledOf(from));
}

function copyTrade(to: EngineState, market: MarketRecord, from: TradeRecord): void {
  const { fill, timeMs, stage, settlement, movedMs } = from;
  const maker = to.order(from.maker.accepted.orderHash);
  const taker = to.order(from.taker.accepted.orderHash);
  const trade: TradeRecord = { fill, timeMs, maker, taker, stage, settlement, movedMs };
  market.trades.add(trade);
  to.memory.hold(trade);
  if (stage === 'confirmed') to.memory.noteConfirmed(trade);
}
