// A batch as the arguments of settleBatch: every order once, and fills that name orders by their place.
import { packBatch, type SettleBatchArguments } from '@presage/chain';
import type { OrderView } from '@presage/engine';
import type { PlannedFill } from './ports.ts';

/** Contracts of version 2 know no fill that must not mint. */
export function encodeBatch(fills: readonly PlannedFill[], knowsNoMint: boolean): SettleBatchArguments {
  const places = new Map<string, number>();
  const views: OrderView[] = [];
  const placeOf = (view: OrderView): number => {
    const known = places.get(view.signed.orderHash);
    if (known !== undefined) return known;
    places.set(view.signed.orderHash, views.length);
    return views.push(view) - 1;
  };
  const placed = fills.map(({ trade, buy, sell }) => ({
    buy: placeOf(buy),
    sell: placeOf(sell),
    price: trade.price,
    size: trade.size,
    mustNotMint: knowsNoMint && sell.signed.terms.reduceOnly,
  }));
  return packBatch({ orders: views.map(({ signed }) => signed), fills: placed });
}
