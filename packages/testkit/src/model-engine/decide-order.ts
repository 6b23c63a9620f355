// Decides whether an order may be placed or cancelled, and the resulting events. Reads the state, changes nothing.

import { NONE } from '@presage/engine';
import type {
  CancelOrder,
  CancelOrders,
  EngineOutput,
  OrderAnswer,
  PlaceOrder,
  SignedOrder,
} from '@presage/protocol/engine-types';
import type { EngineState } from './engine-state.ts';
import { firstCrossingPrice, matchIncoming } from './matching.ts';
import { rememberedAnswer } from './order-answer.ts';
import { type AccountRecord, byMarketId, expiresMs, holderOf, isOpenAt, openOrdersOf } from './records.ts';
import { type Incoming, refuse, StepDraft } from './step-draft.ts';

/** The order of these checks is part of the API (docs/protocol.md, "Order checks"). */
export function decidePlaceOrder(state: EngineState, command: PlaceOrder): EngineOutput[] {
  const { order, timeMs } = command;
  const market = state.markets.get(order.marketId);
  const account = market?.accounts.get(order.trader);
  const holder = account && holderOf(account, order.nonce);
  const answer = holder && answerBefore(state, command);
  if (answer !== undefined) return [{ type: 'order-replayed', answer }];
  if (market === undefined) return refuse('market_not_found');
  if (!isOpenAt(market, timeMs)) return refuse('market_closed');
  // Only time decides, not whether a tick has removed the order or the memory has dropped it.
  const isHeld = holder !== undefined && (holder.isNonceSpent || holder.lapsesMs > timeMs);
  if (isHeld || account?.spent?.has(order.nonce)) return refuse('nonce_already_used');
  if (Number(order.expiration) * 1000 <= timeMs) return refuse('expiration_too_soon', { now: toSeconds(timeMs) });
  const draft = new StepDraft(market, timeMs);
  if (holder?.status === 'open') draft.gone = holder;
  return decideFills(state, draft, { command, account });
}

/**
 * Looks up the order only if its nonce is held, as it is for every remembered order until another takes it over: the
 * map of all orders is large.
 */
function answerBefore(state: EngineState, { orderHash, signature }: SignedOrder): OrderAnswer | undefined {
  const known = state.memory.orders.get(orderHash);
  return known?.accepted.signature === signature ? rememberedAnswer(known) : undefined;
}

interface Placing {
  readonly command: PlaceOrder;
  readonly account: AccountRecord | undefined;
}

function decideFills(state: EngineState, draft: StepDraft, { command, account }: Placing): EngineOutput[] {
  const { orderHash, order, terms } = command;
  if (terms.postOnly) {
    const bestPrice = firstCrossingPrice(state, draft, order);
    if (bestPrice !== NONE) return refuse('would_cross', { bestPrice });
  }
  // An expired order still on the book holds the nonce: it must leave before another order uses it.
  if (draft.gone !== undefined) draft.cancel(draft.gone, 'expired');
  draft.accept(command, account);
  const incoming: Incoming = { orderHash, order, terms, left: order.size };
  matchIncoming(state, draft, incoming);
  if (terms.timeInForce === 'FOK') {
    const fillable = filledIn(draft);
    if (fillable < order.size) return refuse('fok_not_filled', { fillable });
  }
  if (terms.timeInForce === 'IOC' && incoming.left > 0) draft.cancelIncoming(incoming, 'immediate_or_cancel');
  return draft.events;
}

/** `left` also excludes what self-trade prevention cancelled, so only the trades count as fills. */
function filledIn(draft: StepDraft): number {
  let filled = 0;
  for (const event of draft.events) if (event.type === 'trade-matched') filled += event.size;
  return filled;
}

export function decideCancelOrder(state: EngineState, command: CancelOrder): EngineOutput[] {
  const order = state.memory.orders.get(command.orderHash);
  if (order === undefined || order.market.id !== command.marketId) return refuse('order_not_found');
  if (command.trader !== undefined && command.trader !== order.account.trader) return refuse('order_not_yours');
  const status = order.status === 'open' && expiresMs(order) <= command.timeMs ? 'expired' : order.status;
  if (status !== 'open') return refuse('order_not_open', { status });
  const draft = new StepDraft(order.market, command.timeMs);
  draft.cancel(order, command.reason);
  return draft.events;
}

/** One step in each market where the wallet has open orders. Orders that do not fit into a step wait until the command is repeated. */
export function decideCancelOrders(state: EngineState, command: CancelOrders): EngineOutput[] {
  const { marketId, chainId, trader, timeMs } = command;
  const market = marketId === undefined ? undefined : state.markets.get(marketId);
  if (marketId !== undefined && market === undefined) return refuse('market_not_found');
  const candidates = market === undefined ? [...state.markets.values()] : [market];
  const isMeant = (each: (typeof candidates)[number]) => chainId === undefined || each.facts.chainId === chainId;
  const markets = candidates.filter((each) => each.accounts.has(trader) && isMeant(each)).sort(byMarketId);
  return markets.flatMap((each) => {
    const draft = new StepDraft(each, timeMs);
    for (const order of openOrdersOf(each, trader).slice(0, state.eventsPerStep)) {
      draft.cancel(order, expiresMs(order) <= timeMs ? 'expired' : command.reason);
    }
    return draft.events;
  });
}

function toSeconds(timeMs: number): number {
  return Math.floor(timeMs / 1000);
}
