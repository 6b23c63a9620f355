// Decides whether an order may be placed or cancelled, and what follows. Reads the state, changes nothing.
import type { CancelOrder, CancelOrders, OrderAnswer, PlaceOrder, SignedOrder } from '@presage/protocol/engine-types';
import { NONE } from './book/book.ts';
import type { Draft } from './draft.ts';
import type { EngineState } from './engine-state.ts';
import { firstCrossingPrice, matchIncoming } from './matching.ts';
import { rememberedAnswer } from './order-answer.ts';
import { byMarketId, isOpenAt, type MarketRecord } from './records.ts';
import { toStatus } from './slabs/order-slab.ts';

/** The order of these checks is part of the API (docs/protocol.md, "Order checks"). */
export function decidePlaceOrder(state: EngineState, draft: Draft, command: PlaceOrder): Draft {
  const { order, timeMs } = command;
  const { pair, orders } = state;
  const market = state.markets.get(order.marketId);
  const account = market === undefined ? NONE : state.findAccount(market, order.trader);
  if (account !== NONE) pair.read(order.nonce);
  const holder = account === NONE ? NONE : state.holderOf(account, pair.low, pair.high);
  const answer = holder === NONE ? undefined : answerBefore(state, command);
  if (answer !== undefined) return draft.replay(answer);
  if (market === undefined) return draft.refuse('market_not_found');
  if (!isOpenAt(market, timeMs)) return draft.refuse('market_closed');
  // Only time decides, not whether a tick has removed the order or the memory has dropped it.
  const isHeld = holder !== NONE && (orders.isSpent(holder) || orders.lapsesMs(holder) > timeMs);
  const isSpent = account !== NONE && state.accounts.spent(account)?.has(pair.low, pair.high);
  if (isHeld || isSpent) return draft.refuse('nonce_already_used');
  if (Number(order.expiration) * 1000 <= timeMs) {
    return draft.refuse('expiration_too_soon', { now: Math.floor(timeMs / 1000) });
  }
  if (holder !== NONE && orders.isOpen(holder)) draft.gone = holder;
  draft.account = account;
  return decideFills(state, draft, market, command);
}

/** What was answered to this very order, while it is remembered. */
export function findFirstAnswer(state: EngineState, signed: SignedOrder): OrderAnswer | undefined {
  const { marketId, trader, nonce } = signed.order;
  const market = state.markets.get(marketId);
  const account = market === undefined ? NONE : state.findAccount(market, trader);
  if (account === NONE) return undefined;
  state.pair.read(nonce);
  const holder = state.holderOf(account, state.pair.low, state.pair.high);
  return holder === NONE ? undefined : answerBefore(state, signed);
}

/** Only where somebody holds its nonce, as every remembered order does until another takes it over: the table of all orders is large. */
function answerBefore(state: EngineState, { orderHash, signature }: SignedOrder): OrderAnswer | undefined {
  const known = state.findOrder(orderHash);
  const isSame = known !== NONE && state.signed.signature(known) === signature;
  return isSame ? rememberedAnswer(state, known) : undefined;
}

function decideFills(state: EngineState, draft: Draft, market: MarketRecord, command: PlaceOrder): Draft {
  const { order, terms, timeMs } = command;
  if (terms.postOnly) {
    const bestPrice = firstCrossingPrice(state, market, order, timeMs);
    if (bestPrice !== NONE) return draft.refuse('would_cross', { bestPrice });
  }
  draft.beginStep(market);
  // An expired order still on the book holds the nonce: it must leave before another order uses it.
  if (draft.gone !== NONE) draft.cancel(draft.gone, remainingOf(state, draft.gone), 'expired');
  draft.accept(command);
  draft.side = order.side;
  draft.outcome = order.outcome;
  draft.price = order.price;
  draft.prevention = terms.selfTradePrevention;
  draft.left = order.size;
  draft.filled = 0;
  matchIncoming(state, draft, market);
  // `left` also excludes what self-trade prevention cancelled, so only the trades count as fills.
  const { filled } = draft;
  if (terms.timeInForce === 'FOK' && filled < order.size) return draft.refuse('fok_not_filled', { fillable: filled });
  if (terms.timeInForce === 'IOC' && draft.left > 0) draft.cancelIncoming('immediate_or_cancel');
  return draft;
}

/** On the book. */
export function remainingOf({ orders }: EngineState, order: number): number {
  return orders.isOnBook(order) ? orders.remaining(order) : 0;
}

export function decideCancelOrder(state: EngineState, draft: Draft, command: CancelOrder): Draft {
  const { orders, signed } = state;
  const order = state.findOrder(command.orderHash);
  if (order === NONE) return draft.refuse('order_not_found');
  const market = state.marketOf(order);
  if (market.id !== command.marketId) return draft.refuse('order_not_found');
  const { trader } = command;
  if (trader !== undefined && trader !== state.accounts.trader(orders.account(order))) {
    return draft.refuse('order_not_yours');
  }
  const isExpired = orders.isOpen(order) && signed.expiresMs(order) <= command.timeMs;
  const status = isExpired ? 'expired' : toStatus(orders.status(order));
  if (status !== 'open') return draft.refuse('order_not_open', { status });
  draft.beginStep(market);
  draft.cancel(order, orders.remaining(order), command.reason);
  return draft;
}

/** One step in each market where the wallet has open orders; none elsewhere. What does not fit into a step waits for the same command again. */
export function decideCancelOrders(state: EngineState, draft: Draft, command: CancelOrders): Draft {
  const { marketId, chainId, trader, timeMs } = command;
  const market = marketId === undefined ? undefined : state.markets.get(marketId);
  if (marketId !== undefined && market === undefined) return draft.refuse('market_not_found');
  const candidates = market === undefined ? [...state.liveMarkets] : [market];
  const isMeant = (each: MarketRecord) => chainId === undefined || each.facts.chainId === chainId;
  for (const each of candidates.filter(isMeant).sort(byMarketId)) {
    const account = state.findAccount(each, trader);
    if (account === NONE) continue;
    const open = state.openOrdersOf(each, account).slice(0, state.settings.eventsPerStep);
    if (open.length > 0) draft.beginStep(each);
    for (const order of open) {
      const reason = state.signed.expiresMs(order) <= timeMs ? 'expired' : command.reason;
      draft.cancel(order, remainingOf(state, order), reason);
    }
  }
  return draft;
}
