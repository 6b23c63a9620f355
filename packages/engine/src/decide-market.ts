// Decides the listing and closing of markets, and ticks. Reads the state, changes nothing.
import {
  type ChangeResolution,
  type CloseMarket,
  type ListMarket,
  type MarketCloseReason,
  sortKeys,
  type Tick,
} from '@presage/protocol/engine-types';
import { remainingOf } from './decide-order.ts';
import type { Draft } from './draft.ts';
import type { EngineState } from './engine-state.ts';
import { visitExpired } from './memory.ts';
import { byMarketId, type MarketRecord } from './records.ts';

export function decideListMarket(state: EngineState, draft: Draft, { market }: ListMarket): Draft {
  if (state.markets.has(market.marketId)) return draft.refuse('market_already_listed');
  draft.add({ type: 'market-listed', market });
  return draft;
}

export function decideCloseMarket(state: EngineState, draft: Draft, command: CloseMarket): Draft {
  const market = state.markets.get(command.marketId);
  if (market === undefined) return draft.refuse('market_not_found');
  if (market.closeReason !== undefined) return draft.refuse('market_closed');
  draft.beginStep(market);
  closeMarket(state, draft, market, command.reason);
  return draft;
}

/** An unchanged resolution is ignored: the indexer may report the same one repeatedly. */
export function decideChangeResolution(state: EngineState, draft: Draft, command: ChangeResolution): Draft {
  const market = state.markets.get(command.marketId);
  if (market === undefined) return draft.refuse('market_not_found');
  const { resolution } = command;
  if (market.resolution !== undefined && isSame(market.resolution, resolution)) return draft;
  draft.beginStep(market);
  if (market.closeReason === undefined && !mayGoOn(market, command)) closeMarket(state, draft, market, 'expired');
  draft.add({ type: 'resolution-changed', resolution });
  return draft;
}

/** A proposal before the expiration only suspends a market that allows early resolution: see `isOpenAt`. */
function mayGoOn({ facts, lapsesMs }: MarketRecord, { resolution, timeMs }: ChangeResolution): boolean {
  return facts.earlyResolution === true && lapsesMs > timeMs && resolution.payouts === undefined;
}

function isSame(a: object, b: object): boolean {
  return JSON.stringify(sortKeys(a)) === JSON.stringify(sortKeys(b));
}

/**
 * Orders that expired before the market are marked expired; the close cancels the rest. Orders that do not fit into the
 * step are left to ticks.
 */
function closeMarket(state: EngineState, draft: Draft, market: MarketRecord, reason: MarketCloseReason): void {
  const open = state.openOrdersOf(market);
  const isGone = (order: number) => isExpired(state, market, order, draft.timeMs);
  const expired = open.filter(isGone);
  const rest = open.filter((order) => !isGone(order));
  const room = state.settings.eventsPerStep - 1;
  for (const order of expired.slice(0, room)) draft.cancel(order, remainingOf(state, order), 'expired');
  draft.add({ type: 'market-closed', reason });
  for (const order of rest.slice(0, Math.max(0, room - expired.length))) {
    draft.cancel(order, remainingOf(state, order), 'market_closed');
  }
}

/** Cancels the orders that did not fit into the step of the close. */
function emptyClosed(state: EngineState, draft: Draft, market: MarketRecord): void {
  for (const order of state.leftIn(market).slice(0, state.settings.eventsPerStep)) {
    const reason = isExpired(state, market, order, draft.timeMs) ? 'expired' : 'market_closed';
    draft.cancel(order, remainingOf(state, order), reason);
  }
}

function isExpired({ signed }: EngineState, market: MarketRecord, order: number, timeMs: number): boolean {
  return signed.expiresMs(order) <= Math.min(timeMs, market.lapsesMs);
}

/** Markets in the order of their ids, the only order that a restored engine is certain to share. */
export function decideTick(state: EngineState, draft: Draft, { timeMs }: Tick): Draft {
  const due = new Set<MarketRecord>();
  state.marketLapses.visitDue(timeMs, (number) => {
    const market = state.markets.activeAt(number);
    if (market !== undefined && market.closeReason === undefined) due.add(market);
  });
  const expired = expiredOrders(state, timeMs, due);
  const touched = new Set([...expired.keys(), ...due, ...state.closing.keys()]);
  for (const market of [...touched].sort(byMarketId)) {
    draft.beginStep(market);
    if (due.has(market)) closeMarket(state, draft, market, 'expired');
    else if (market.closeReason !== undefined) emptyClosed(state, draft, market);
    else {
      const gone = state.sortBySequence(expired.get(market)!).slice(0, state.settings.eventsPerStep);
      for (const order of gone) draft.cancel(order, remainingOf(state, order), 'expired');
    }
  }
  return draft;
}

/** Expired orders of open markets only: a close handles its own, of which there may be many. */
function expiredOrders(
  state: EngineState,
  timeMs: number,
  due: ReadonlySet<MarketRecord>,
): Map<MarketRecord, number[]> {
  const expired = new Map<MarketRecord, number[]>();
  visitExpired(state, timeMs, (order) => {
    const market = state.marketOf(order);
    if (market.closeReason !== undefined || due.has(market)) return;
    const orders = expired.get(market);
    if (orders === undefined) expired.set(market, [order]);
    else orders.push(order);
  });
  return expired;
}
