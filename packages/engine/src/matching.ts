// Price-time priority: an incoming order matches the resting orders of the other side, best first.
import { crosses, oppositeSide } from '@presage/protocol/engine-types';
import { NONE } from './book/book.ts';
import type { Draft } from './draft.ts';
import type { EngineState } from './engine-state.ts';
import type { MarketRecord } from './records.ts';

/**
 * Decides the trades of the draft's incoming order without changing state, which applying them does. An expired order
 * never trades: it is removed on the way, even before a tick.
 */
export function matchIncoming(state: EngineState, draft: Draft, market: MarketRecord): void {
  const { outcome, side, price, timeMs } = draft;
  const book = market.books[outcome];
  if (book === undefined) return;
  const { orders, ahead } = state;
  for (let resting = book.first(oppositeSide(side)); resting !== NONE && draft.left > 0; resting = book.next(resting)) {
    if (!crosses(side, price, orders.price(resting))) return;
    const remaining = ahead === undefined ? orders.remaining(resting) : ahead.remaining(orders, resting);
    if (remaining === 0) continue;
    // A remainder on the book would leave it crossed, so it is cancelled, like the remainder of an order that may not
    // rest.
    if (draft.stepEvents >= state.settings.eventsPerStep) {
      draft.cancelIncoming('immediate_or_cancel');
      return;
    }
    if (resting === draft.gone) continue;
    if (orders.lapsesMs(resting) <= timeMs) draft.cancel(resting, remaining, 'expired');
    else if (draft.prevention !== 'none' && orders.account(resting) === draft.account) {
      preventSelfTrade(draft, resting, remaining);
    } else draft.trade(resting, remaining);
  }
}

function preventSelfTrade(draft: Draft, resting: number, remaining: number): void {
  if (draft.prevention === 'cancel_resting') draft.cancel(resting, remaining, 'self_trade');
  else draft.cancelIncoming('self_trade');
}

/**
 * Price of the first unexpired order that this one would match, or NONE. Orders of the same wallet count, whatever the
 * flags.
 */
export function firstCrossingPrice({ orders, ahead }: EngineState, draft: Draft, market: MarketRecord): number {
  const { side, outcome, timeMs } = draft;
  const book = market.books[outcome];
  const inBatch = ahead?.crossingPrice(draft, market.number) ?? NONE;
  if (book === undefined || inBatch !== NONE) return inBatch;
  for (let resting = book.first(oppositeSide(side)); resting !== NONE; resting = book.next(resting)) {
    const price = orders.price(resting);
    if (!crosses(side, draft.price, price)) return NONE;
    const isThere = ahead === undefined || ahead.remaining(orders, resting) > 0;
    if (isThere && orders.lapsesMs(resting) > timeMs) return price;
  }
  return NONE;
}
