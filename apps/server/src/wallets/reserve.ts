// What a wallet's unsettled fills and open orders could still take from it, computed as the settlement contract will: pure.
import type { TradeView } from '@presage/engine';
import {
  type Address,
  BUY,
  costOf,
  LIMITS,
  type MarketId,
  NO,
  type Order,
  type Outcome,
  type Price,
  proceedsRoundedDown,
  type Size,
  toSize,
  YES,
} from '@presage/protocol';

/** A trade that the chain's balances do not contain yet. */
export type UnminedFill = Pick<TradeView, 'marketId' | 'outcome' | 'price' | 'size' | 'buyer' | 'seller'>;

export interface RestingOrder extends Pick<Order, 'marketId' | 'side' | 'outcome' | 'price'> {
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

/** What one order takes: stablecoin, and shares that are held. */
interface Claim {
  readonly money: bigint;
  /** How much of the money is headroom for rounding: an allowance need not cover it. */
  readonly headroom: bigint;
  readonly shares: bigint;
}

/** What an order takes beyond what is reserved. */
export interface Need extends Claim {
  readonly reserved: bigint;
  /** How much of what is reserved is headroom for rounding. */
  readonly reservedHeadroom: bigint;
}

const SLACK = BigInt(LIMITS.reserveSlackUnits);

/**
 * Stablecoin, 6 decimals:
 * - an unmined purchase takes its cost; an unmined sale of m shares more than are held takes m less its cost, if that is more;
 * - an open BUY takes ceil(price x remaining / 1e6), and the slack, since each fill that it is cut into rounds up;
 * - an open SELL takes the shares that are still free and, for m that are missing, m - floor(price x m / 1e6).
 * Money that is still to come in does not lessen it. Markets do not touch each other: what two of them take is the sum.
 */
export function computeReserve(facts: ReserveFacts) {
  const free = new FreeShares(facts.shares);
  const byFills = takenByFills(facts, free);
  return { byFills, byOrders: facts.orders.map((order) => claimOf(order, free)) };
}

export function reserveOf(facts: ReserveFacts): bigint {
  return takenByAll(facts, new FreeShares(facts.shares));
}

/** An open BUY takes the same whatever else stands. */
export function reserveOfPurchase(price: Price, remainingSize: Size): bigint {
  return costOf(price, remainingSize) + SLACK;
}

/** How much of the reserve is headroom for rounding. */
export function headroomOf(openPurchases: number): bigint {
  return SLACK * BigInt(openPurchases);
}

/** The need of an order that is newer than all in the facts. */
export function needOf(facts: ReserveFacts, order: RestingOrder): Need {
  const free = new FreeShares(facts.shares);
  const reserved = takenByAll(facts, free);
  return {
    ...claimOf(order, free),
    reserved,
    reservedHeadroom: headroomOf(facts.orders.filter(({ side }) => side === BUY).length),
  };
}

/** How many shares of a kind the fills leave, by `shareKey`. */
export function sharesAfterFills(facts: ReserveFacts): (key: string) => bigint {
  const free = new FreeShares(facts.shares);
  takenByFills(facts, free);
  return (key) => free.count(key);
}

function takenByAll(facts: ReserveFacts, free: FreeShares): bigint {
  let taken = takenByFills(facts, free);
  for (const order of facts.orders) taken += claimOf(order, free).money;
  return taken;
}

function takenByFills({ fills, wallet }: ReserveFacts, free: FreeShares): bigint {
  let taken = 0n;
  for (const fill of fills) taken += takenByFill(fill, wallet, free);
  return taken;
}

/** What the fills change the balance by: a purchase pays its cost, a sale receives it and pays for what it mints. */
export function netOfFills({ fills, wallet, shares }: Omit<ReserveFacts, 'orders'>): bigint {
  const free = new FreeShares(shares);
  let net = 0n;
  for (const { marketId, outcome, price, size, buyer, seller } of fills) {
    const cost = costOf(price, size);
    if (seller === wallet) {
      const minted = free.take(shareKey(marketId, outcome), BigInt(size));
      free.give(shareKey(marketId, outcome === YES ? NO : YES), minted);
      net += cost - minted;
    }
    if (buyer === wallet) {
      free.give(shareKey(marketId, outcome), BigInt(size));
      net -= cost;
    }
  }
  return net;
}

/** In a trade with oneself the sale comes first, as on chain. */
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

function claimOf({ marketId, side, outcome, price, remainingSize }: RestingOrder, free: FreeShares): Claim {
  if (side === BUY) return { money: reserveOfPurchase(price, remainingSize), headroom: SLACK, shares: 0n };
  const size = BigInt(remainingSize);
  const missing = free.take(shareKey(marketId, outcome), size);
  const money = missing === 0n ? 0n : missing - proceedsRoundedDown(price, toSize(Number(missing)));
  return { money, headroom: 0n, shares: size - missing };
}

/** Changes lie over what the chain said, which is not copied: an order path passes here. */
class FreeShares {
  readonly #held: ReadonlyMap<string, bigint>;
  readonly #changed = new Map<string, bigint>();

  constructor(held: ReadonlyMap<string, bigint>) {
    this.#held = held;
  }

  count(key: string): bigint {
    return this.#changed.get(key) ?? this.#held.get(key) ?? 0n;
  }

  /** Answers how many were missing. */
  take(key: string, amount: bigint): bigint {
    const held = this.count(key);
    if (held === 0n) return amount;
    this.#changed.set(key, held > amount ? held - amount : 0n);
    return held > amount ? 0n : amount - held;
  }

  give(key: string, amount: bigint): void {
    this.#changed.set(key, this.count(key) + amount);
  }
}
