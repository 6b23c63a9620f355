// The effect of earlier orders of a batch if they were placed: later ones are decided as if that had happened.
import { crosses, type Outcome, oppositeSide, type Side } from '@presage/protocol/engine-types';
import { NONE } from './book/book.ts';
import { ACCEPT, CANCEL, type Draft, TRADE } from './draft.ts';
import type { OrderSlab } from './slabs/order-slab.ts';

interface RestingAhead {
  readonly market: number;
  readonly outcome: Outcome;
  readonly side: Side;
  readonly price: number;
}

/** Whether the price is worse than the other for an order of this side. */
function isWorse(side: Side, price: number, other: number): boolean {
  return price !== other && crosses(side, price, other);
}

export class TakenAhead {
  /** Sizes taken from orders on the book. */
  readonly #taken = new Map<number, number>();
  readonly #resting: RestingAhead[] = [];

  /** Remaining size of an order on the book; 0 if it would be gone. */
  remaining(orders: OrderSlab, order: number): number {
    return orders.remaining(order) - (this.#taken.get(order) ?? 0);
  }

  /** Best price of the batch's own orders that cross the draft's, or NONE. */
  crossingPrice({ side, outcome, price }: Draft, market: number): number {
    let best = NONE;
    for (const each of this.#resting) {
      const isThere = each.market === market && each.outcome === outcome && each.side === oppositeSide(side);
      if (!isThere || !crosses(side, price, each.price)) continue;
      if (best === NONE || isWorse(side, best, each.price)) best = each.price;
    }
    return best;
  }

  /** Price of the batch's own order that the draft's would match, or NONE: orders on the book with the same price come first. */
  metPrice(orders: OrderSlab, draft: Draft, market: number): number {
    const best = this.crossingPrice(draft, market);
    if (best === NONE) return NONE;
    const from = draft.kinds.indexOf(ACCEPT);
    for (let at = from + 1; at < draft.count; at++) {
      if (draft.handles[at] !== NONE && isWorse(draft.side, orders.price(draft.handles[at]!), best)) return best;
    }
    return NONE;
  }

  /** Adds a draft that was decided and is not applied. */
  add({ kinds, handles, sizes, count, left, side, outcome, price }: Draft): void {
    for (let at = 0; at < count; at++) {
      if (kinds[at] === TRADE || kinds[at] === CANCEL) this.#take(handles[at]!, sizes[at]!);
    }
    // The draft of one order begins with its step.
    if (left > 0) this.#resting.push({ market: handles[0]!, outcome, side, price });
  }

  #take(order: number, size: number): void {
    this.#taken.set(order, (this.#taken.get(order) ?? 0) + size);
  }
}
