// What a wallet's unsettled fills and open orders could still take from it, reckoned as the settlement contract will: pure.
import {
  type Address,
  BUY,
  costOf,
  type MarketId,
  NO,
  type Outcome,
  type Price,
  proceedsRoundedDown,
  type Side,
  type Size,
  YES,
} from '@presage/protocol';

/** A trade that the chain's balances do not contain yet. */
export interface UnminedFill {
  readonly marketId: MarketId;
  readonly outcome: Outcome;
  readonly price: Price;
  readonly size: Size;
  readonly buyer: Address;
  readonly seller: Address;
}

export interface RestingOrder {
  readonly marketId: MarketId;
  readonly side: Side;
  readonly outcome: Outcome;
  readonly price: Price;
  /** Above 0. */
  readonly remainingSize: Size;
}

export interface ReserveFacts {
  readonly wallet: Address;
  /** Oldest first: they settle in this order, so what one brings the next may use. */
  readonly fills: readonly UnminedFill[];
  /** Oldest first: the older order has the first claim on the shares. */
  readonly orders: readonly RestingOrder[];
  /** On chain, by `shareKey`; what is not named is 0. */
  readonly shares: ReadonlyMap<string, bigint>;
}

export function shareKey(marketId: MarketId, outcome: Outcome): string {
  return `${marketId}/${outcome}`;
}

/**
 * Stablecoin, 6 decimals:
 * - an unmined purchase takes its cost; an unmined sale of m shares more than are held takes m less its cost, if that is more;
 * - an open BUY takes ceil(price x remaining / 1e6), and up to one unit more for each fill it is cut into;
 * - an open SELL takes the shares that are still free and, for m that are missing, m - floor(price x m / 1e6).
 * Money that is still to come in does not lessen it.
 */
export function reserveOf({ wallet, fills, orders, shares }: ReserveFacts): bigint {
  const free = new FreeShares(shares);
  let reserved = 0n;
  for (const fill of fills) reserved += takenByFill(fill, wallet, free);
  for (const order of orders) reserved += takenByOrder(order, free);
  return reserved;
}

/** Of a trade with oneself the sale comes first, as on chain. */
function takenByFill(fill: UnminedFill, wallet: Address, free: FreeShares): bigint {
  const { marketId, outcome, price, size } = fill;
  const cost = costOf(price, size);
  let taken = 0n;
  if (fill.seller === wallet) {
    const minted = free.take(shareKey(marketId, outcome), BigInt(size));
    free.give(shareKey(marketId, outcome === YES ? NO : YES), minted);
    if (minted > cost) taken += minted - cost;
  }
  if (fill.buyer === wallet) {
    free.give(shareKey(marketId, outcome), BigInt(size));
    taken += cost;
  }
  return taken;
}

function takenByOrder({ marketId, side, outcome, price, remainingSize }: RestingOrder, free: FreeShares): bigint {
  if (side === BUY) return costOf(price, remainingSize);
  const missing = free.take(shareKey(marketId, outcome), BigInt(remainingSize));
  return missing === 0n ? 0n : missing - proceedsRoundedDown(price, Number(missing) as Size);
}

class FreeShares {
  readonly #shares: Map<string, bigint>;

  constructor(shares: ReadonlyMap<string, bigint>) {
    this.#shares = new Map(shares);
  }

  /** Answers how many were missing. */
  take(key: string, amount: bigint): bigint {
    const held = this.#shares.get(key) ?? 0n;
    this.#shares.set(key, held > amount ? held - amount : 0n);
    return held > amount ? 0n : amount - held;
  }

  give(key: string, amount: bigint): void {
    this.#shares.set(key, (this.#shares.get(key) ?? 0n) + amount);
  }
}
