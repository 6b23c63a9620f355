// Decides whether an order may be placed or cancelled, and the resulting events. Reads the state, changes nothing.
import type {
  CancelOrder,
  CancelOrders,
  OrderAnswer,
  OrderTerms,
  PlaceOrder,
  SignedOrder,
} from '@presage/protocol/engine-types';
import { NONE } from './book/book.ts';
import type { Draft } from './draft.ts';
import type { EngineState } from './engine-state.ts';
import { firstCrossingPrice, matchIncoming } from './matching.ts';
import { rememberedAnswer } from './order-answer.ts';
import { byMarketId, isOpenAt, type MarketRecord } from './records.ts';
import { toStatus } from './slabs/order-slab.ts';
import type { PackedCommands } from './slabs/packed-commands.ts';

export function decidePlaceObject(state: EngineState, draft: Draft, command: PlaceOrder): Draft {
  state.packed.writePlace(0, command, command.timeMs);
  draft.placed = command;
  return decidePlaceOrder(state, draft, state.packed, 0);
}

/** The order of these checks is part of the API (docs/protocol.md, "Order checks"). */
export function decidePlaceOrder(state: EngineState, draft: Draft, packed: PackedCommands, at: number): Draft {
  const { orders } = state;
  const { timeMs } = draft;
  const number = state.markets.ids.find(packed.words, packed.marketWord(at));
  const account = number === NONE ? NONE : state.accounts.find(number, packed.words, packed.traderWord(at));
  const low = packed.nonceLow(at);
  const high = packed.nonceHigh(at);
  const holder = account === NONE ? NONE : state.holderOf(account, low, high);
  const answer = holder === NONE ? undefined : answerBefore(state, packed, at);
  if (answer !== undefined) return draft.replay(answer);
  if (number === NONE) return draft.refuse('market_not_found');
  const market = state.markets.activeAt(number);
  if (market === undefined || !isOpenAt(market, timeMs)) return draft.refuse('market_closed');
  // Only time decides, not whether a tick has removed the order or the memory has dropped it.
  const isHeld = holder !== NONE && (orders.isSpent(holder) || orders.lapsesMs(holder) > timeMs);
  const isSpent = account !== NONE && state.accounts.spent(account)?.has(low, high);
  if (isHeld || isSpent) return draft.refuse('nonce_already_used');
  if (packed.expiresMs(at) <= timeMs) {
    return draft.refuse('expiration_too_soon', { now: Math.floor(timeMs / 1000) });
  }
  if (holder !== NONE && orders.isOpen(holder)) draft.gone = holder;
  draft.account = account;
  draft.packed = packed;
  draft.packedAt = at;
  return decideFills(state, draft, market, packed.terms(at));
}

/** The first answer to this order, while it is remembered. */
export function findFirstAnswer(state: EngineState, signed: SignedOrder): OrderAnswer | undefined {
  const { packed, markets, accounts } = state;
  packed.writeHolder(0, signed.order);
  const number = markets.ids.find(packed.words, packed.marketWord(0));
  const account = number === NONE ? NONE : accounts.find(number, packed.words, packed.traderWord(0));
  const holder = account === NONE ? NONE : state.holderOf(account, packed.nonceLow(0), packed.nonceHigh(0));
  if (holder === NONE) return undefined;
  packed.writePlace(0, signed, 0);
  return answerBefore(state, packed, 0);
}

/**
 * First answer to the order; undefined if it is not remembered. Call it only if the order's nonce is held, as it is for
 * every remembered order until another takes it over: the table of all orders is large, and look-ups are slow.
 */
function answerBefore(state: EngineState, packed: PackedCommands, at: number): OrderAnswer | undefined {
  const known = state.findOrderAt(packed.words, packed.hashWord(at));
  const isSame = known !== NONE && state.signed.signature(known) === packed.signature(at);
  return isSame ? rememberedAnswer(state, known) : undefined;
}

/** Decides the fills of an order accepted into the draft. */
function decideFills(state: EngineState, draft: Draft, market: MarketRecord, terms: OrderTerms): Draft {
  const packed = draft.packed!;
  const at = draft.packedAt;
  const size = packed.size(at);
  draft.side = packed.side(at);
  draft.outcome = packed.outcome(at);
  draft.price = packed.price(at);
  draft.prevention = terms.selfTradePrevention;
  draft.left = size;
  draft.filled = 0;
  if (terms.postOnly) {
    const bestPrice = firstCrossingPrice(state, draft, market);
    if (bestPrice !== NONE) return draft.refuse('would_cross', { bestPrice });
  }
  draft.beginStep(market);
  // An expired order still on the book holds the nonce: it must leave before another order uses it.
  if (draft.gone !== NONE) draft.cancel(draft.gone, remainingOf(state, draft.gone), 'expired');
  draft.accept();
  matchIncoming(state, draft, market);
  // `left` also excludes what self-trade prevention cancelled, so only the trades count as fills.
  const { filled } = draft;
  if (terms.timeInForce === 'FOK' && filled < size) return draft.refuse('fok_not_filled', { fillable: filled });
  // Orders of one batch must not trade with each other.
  const bestPrice = state.ahead?.metPrice(state.orders, draft, market.number) ?? NONE;
  if (bestPrice !== NONE) return draft.refuse('would_cross', { bestPrice });
  if (terms.timeInForce === 'IOC' && draft.left > 0) draft.cancelIncoming('immediate_or_cancel');
  return draft;
}

/** Size on the book; 0 if it is not there. */
export function remainingOf({ orders }: EngineState, order: number): number {
  return orders.isOnBook(order) ? orders.remaining(order) : 0;
}

export function decideCancelObject(state: EngineState, draft: Draft, command: CancelOrder): Draft {
  state.packed.write(0, command);
  return decideCancelOrder(state, draft, state.packed, 0);
}

export function decideCancelOrder(state: EngineState, draft: Draft, packed: PackedCommands, at: number): Draft {
  const { orders, signed, accounts } = state;
  const order = state.findOrderAt(packed.words, packed.hashWord(at));
  if (order === NONE) return draft.refuse('order_not_found');
  const account = orders.account(order);
  const number = accounts.market(account);
  if (state.markets.ids.find(packed.words, packed.marketWord(at)) !== number) return draft.refuse('order_not_found');
  const isTheirs = !packed.hasTrader(at) || accounts.find(number, packed.words, packed.traderWord(at)) === account;
  if (!isTheirs) return draft.refuse('order_not_yours');
  const isLapsed = orders.isOpen(order) && orders.lapsesMs(order) <= draft.timeMs;
  const isExpired = isLapsed && signed.expiresMs(order) <= draft.timeMs;
  const status = isExpired ? 'expired' : toStatus(orders.status(order));
  if (status !== 'open') return draft.refuse('order_not_open', { status });
  draft.beginStep(state.markets.at(number));
  draft.cancel(order, orders.remaining(order), packed.reason(at));
  return draft;
}

/** One step in each market where the wallet has open orders. Orders that do not fit into a step wait until the command is repeated. */
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
