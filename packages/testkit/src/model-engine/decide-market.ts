// Decides the listing and closing of markets, and ticks. Reads the state, changes nothing.
import {
  type ChangeResolution,
  type CloseMarket,
  type EngineOutput,
  type ListMarket,
  type MarketCloseReason,
  sortKeys,
  type Tick,
} from '@presage/protocol/engine-types';
import type { EngineState } from './engine-state.ts';
import { byMarketId, bySequence, expiresMs, type MarketRecord, type OrderRecord, openOrdersOf } from './records.ts';
import { refuse, StepDraft } from './step-draft.ts';

export function decideListMarket(state: EngineState, command: ListMarket): EngineOutput[] {
  const { market, timeMs } = command;
  if (state.markets.has(market.marketId)) return refuse('market_already_listed');
  return [{ type: 'market-listed', marketId: market.marketId, step: 1, timeMs, market }];
}

export function decideCloseMarket(state: EngineState, command: CloseMarket): EngineOutput[] {
  const market = state.markets.get(command.marketId);
  if (market === undefined) return refuse('market_not_found');
  if (market.closeReason !== undefined) return refuse('market_closed');
  return closeMarket(state, new StepDraft(market, command.timeMs), command.reason);
}

/** An unchanged resolution is ignored: the indexer may report the same one repeatedly. */
export function decideChangeResolution(state: EngineState, command: ChangeResolution): EngineOutput[] {
  const market = state.markets.get(command.marketId);
  if (market === undefined) return refuse('market_not_found');
  const { resolution, timeMs } = command;
  if (market.resolution !== undefined && isSame(market.resolution, resolution)) return [];
  const draft = new StepDraft(market, timeMs);
  if (market.closeReason === undefined && !mayGoOn(market, command)) closeMarket(state, draft, 'expired');
  draft.resolve(resolution);
  return draft.events;
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
function closeMarket(state: EngineState, draft: StepDraft, reason: MarketCloseReason): EngineOutput[] {
  const open = openOrdersOf(draft.market);
  const isGone = (order: OrderRecord) => isExpired(draft, order);
  const [expired, rest] = [open.filter(isGone), open.filter((order) => !isGone(order))];
  const room = state.eventsPerStep - 1;
  for (const order of expired.slice(0, room)) draft.cancel(order, 'expired');
  draft.close(reason);
  for (const order of rest.slice(0, Math.max(0, room - expired.length))) draft.cancel(order, 'market_closed');
  return draft.events;
}

/** Cancels the orders that did not fit into the step of the close. */
function emptyClosed(state: EngineState, draft: StepDraft): EngineOutput[] {
  for (const order of state.leftIn(draft.market).slice(0, state.eventsPerStep)) {
    draft.cancel(order, isExpired(draft, order) ? 'expired' : 'market_closed');
  }
  return draft.events;
}

function isExpired({ market, timeMs }: StepDraft, order: OrderRecord): boolean {
  return expiresMs(order) <= Math.min(timeMs, market.lapsesMs);
}

/** Markets in the order of their ids, the only order that a restored engine is certain to share. */
export function decideTick(state: EngineState, command: Tick): EngineOutput[] {
  const { timeMs } = command;
  const due = new Set<MarketRecord>();
  state.marketLapses.visitDue(timeMs, (market) => {
    if (market.closeReason === undefined) due.add(market);
  });
  const expired = expiredOrders(state, timeMs, due);
  const touched = new Set([...expired.keys(), ...due, ...state.closing.keys()]);
  return [...touched].sort(byMarketId).flatMap((market) => {
    const draft = new StepDraft(market, timeMs);
    if (due.has(market)) return closeMarket(state, draft, 'expired');
    if (market.closeReason !== undefined) return emptyClosed(state, draft);
    const gone = expired.get(market)!.sort(bySequence).slice(0, state.eventsPerStep);
    for (const order of gone) draft.cancel(order, 'expired');
    return draft.events;
  });
}

/** Expired orders of open markets only: a close handles its own, of which there may be many. */
function expiredOrders(
  state: EngineState,
  timeMs: number,
  due: ReadonlySet<MarketRecord>,
): Map<MarketRecord, OrderRecord[]> {
  const expired = new Map<MarketRecord, OrderRecord[]>();
  state.memory.visitExpired(timeMs, (order) => {
    if (order.market.closeReason !== undefined || due.has(order.market)) return;
    const orders = expired.get(order.market);
    if (orders === undefined) expired.set(order.market, [order]);
    else orders.push(order);
  });
  return expired;
}
