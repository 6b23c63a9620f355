// Price-time priority: an incoming order matches the resting orders of the other side, best first.

import { NONE } from '@presage/engine';
import { crosses, type Order, oppositeSide, type Size } from '@presage/protocol/engine-types';
import type { EngineState } from './engine-state.ts';
import { type OrderRecord, unfilledOf } from './records.ts';
import type { Incoming, StepDraft } from './step-draft.ts';

/** Treats a remembered order as incoming, with its unfilled size after subtracting the failed trade. */
export function toIncoming(order: OrderRecord, regained: Size): Incoming {
  const { orderHash, order: signed, terms } = order.accepted;
  return { orderHash, order: signed, terms, left: unfilledOf(order) + regained };
}

/**
 * Decides the trades without changing state, which applying the events does. An expired order never trades: it is
 * removed on the way, even before a tick.
 */
export function matchIncoming(state: EngineState, draft: StepDraft, incoming: Incoming): void {
  const { outcome, side, price, trader } = incoming.order;
  const book = draft.market.books[outcome];
  if (book === undefined) return;
  for (let slot = book.first(oppositeSide(side)); slot !== NONE && incoming.left > 0; slot = book.next(slot)) {
    const resting = state.resting(slot);
    if (!crosses(side, price, resting.price)) return;
    // A remainder on the book would leave it crossed, so it is cancelled like that of an order that does not rest.
    if (draft.events.length >= state.eventsPerStep) {
      draft.cancelIncoming(incoming, 'immediate_or_cancel');
      return;
    }
    if (resting === draft.gone) continue;
    if (resting.lapsesMs <= draft.timeMs) draft.cancel(resting, 'expired');
    else if (resting.account.trader === trader && incoming.terms.selfTradePrevention !== 'none') {
      preventSelfTrade(draft, incoming, resting);
    } else incoming.left -= draft.trade(incoming, resting, book.remaining(slot));
  }
}

function preventSelfTrade(draft: StepDraft, incoming: Incoming, resting: OrderRecord): void {
  if (incoming.terms.selfTradePrevention === 'cancel_resting') draft.cancel(resting, 'self_trade');
  else draft.cancelIncoming(incoming, 'self_trade');
}

/**
 * Price of the first unexpired order that this one would match, or NONE. Orders of the same wallet count, whatever the
 * flags.
 */
export function firstCrossingPrice(state: EngineState, draft: StepDraft, order: Order): number {
  const book = draft.market.books[order.outcome];
  if (book === undefined) return NONE;
  for (let slot = book.first(oppositeSide(order.side)); slot !== NONE; slot = book.next(slot)) {
    const resting = state.resting(slot);
    if (!crosses(order.side, order.price, resting.price)) return NONE;
    if (resting.lapsesMs > draft.timeMs) return resting.price;
  }
  return NONE;
}
