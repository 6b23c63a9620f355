// Applies an event that was decided earlier or elsewhere. Needs only the state and the event, because a replay has no
// commands.
import { type EngineEvent, type OrderHash, oppositeSide, type TradeMatched } from '@presage/protocol/engine-types';
import * as apply from './apply.ts';
import { NONE } from './book/book.ts';
import type { EngineState } from './engine-state.ts';
import { type MarketRecord, toTradeId } from './records.ts';
import { assertFees } from './trade-fees.ts';

/** Without `seq` the event counts as the next one: an engine that does not share a journal counts events itself. */
export function evolve(state: EngineState, event: EngineEvent, seq = state.seq + 1): void {
  state.seq = seq;
  const market = event.type === 'market-listed' ? state.addMarket(event.market) : state.market(event.marketId);
  apply.enterStep(state, market, event.step, event.timeMs);
  evolveMarket(state, market, event);
  apply.settlePending(state);
  state.markets.retireOver();
}

function evolveMarket(state: EngineState, market: MarketRecord, event: EngineEvent): void {
  switch (event.type) {
    case 'market-closed':
      apply.closeMarket(state, market, event.reason);
      break;
    case 'order-accepted':
      state.packed.writePlace(0, event, event.timeMs);
      apply.acceptOrder(state, market, state.packed, 0);
      break;
    case 'trade-matched':
      matchTrade(state, market, event);
      break;
    case 'order-cancelled':
      apply.cancelOrder(state, state.order(event.orderHash), event.remainingSize, event.reason);
      break;
    case 'order-restored':
      apply.restoreOrder(state, state.order(event.orderHash), event.size);
      break;
    case 'trade-moved':
      apply.moveTrade(state, tradeOf(state, market, event), event.stage, event.settlement);
      break;
    case 'trade-failed':
      apply.failTrade(state, market, tradeOf(state, market, event));
      break;
    case 'resolution-changed':
      apply.resolveMarket(state, market, event.resolution);
      break;
    case 'market-listed':
      state.marketLapses.push(market.lapsesMs, market.number, 0);
      break;
    default:
      event satisfies never;
  }
}

function matchTrade(state: EngineState, market: MarketRecord, event: TradeMatched): void {
  const { tradeId, price, size } = event;
  if (tradeId !== toTradeId(market, market.tradeCount + 1)) throw new Error(`trade ${tradeId} is out of turn`);
  assertFees(market, price, size, event);
  apply.matchTrade(state, market, findMaker(state, market, event), findTaker(state, event.takerHash), size);
}

/** The maker is nearly always first in the book. The table of all orders is large, and a look-up in it would be most of a fill's cost. */
function findMaker(state: EngineState, market: MarketRecord, { outcome, takerSide, makerHash }: TradeMatched): number {
  const first = market.books[outcome]?.first(oppositeSide(takerSide)) ?? NONE;
  return state.isOrder(first, makerHash) ? first : state.order(makerHash);
}

/** The taker is nearly always the order that was just accepted; otherwise one that returns. */
function findTaker(state: EngineState, takerHash: OrderHash): number {
  return state.isOrder(state.newest, takerHash) ? state.newest : state.order(takerHash);
}

function tradeOf(
  state: EngineState,
  market: MarketRecord,
  { type, tradeId }: { readonly type: 'trade-moved' | 'trade-failed'; readonly tradeId: string },
): number {
  const trade = state.findTrade(market, tradeId);
  if (trade !== NONE) return trade;
  throw new Error(`trade ${tradeId} ${type === 'trade-moved' ? 'moved' : 'failed'}, but it is not remembered`);
}
