// The wallet's own open orders: how much of each level of a book is theirs, and how many shares they offer.
import type { OpenOrder, OutcomeName } from '@presage/sdk';

/** Keys are `asks 550000` and `bids 530000`, grouped as the rows are. */
export function ownSizes(
  orders: readonly OpenOrder[],
  marketId: string,
  outcome: OutcomeName,
  group: number,
): ReadonlyMap<string, bigint> {
  const sizes = new Map<string, bigint>();
  for (const order of orders) {
    if (order.marketId !== marketId || order.outcome !== (outcome === 'YES' ? 0 : 1)) continue;
    const units = Number(order.price) / group;
    const key = order.side === 1 ? `asks ${Math.ceil(units) * group}` : `bids ${Math.floor(units) * group}`;
    sizes.set(key, (sizes.get(key) ?? 0n) + BigInt(order.remainingSize));
  }
  return sizes;
}

/** Shares that open orders of this outcome offer: they may be sold before anything else is. */
export function offeredSize(orders: readonly OpenOrder[], marketId: string, outcome: OutcomeName): bigint {
  const offers = orders.filter(
    (order) => order.marketId === marketId && order.side === 1 && order.outcome === (outcome === 'YES' ? 0 : 1),
  );
  return offers.reduce((sum, { remainingSize }) => sum + BigInt(remainingSize), 0n);
}
