// Reserve: what a wallet's unsettled fills and open orders could still take from it, computed as the settlement contract does. Pure.
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
  SELL,
  type Side,
  type Size,
  takerFee,
  toSize,
  YES,
} from '@presage/protocol';

/** A trade that the chain's balances do not contain yet. */
export type UnminedFill = Pick<
  TradeView,
  'marketId' | 'outcome' | 'price' | 'size' | 'buyer' | 'seller' | 'takerSide' | 'fee' | 'makerRebate'
>;

export interface RestingOrder extends Pick<Order, 'marketId' | 'side' | 'outcome' | 'price'> {
  /** Above 0. */
  readonly remainingSize: Size;
  /** The market's fee rate; absent if takers pay no fee. */
  readonly feeRateBps?: number;
}

export interface ReserveFacts {
  readonly wallet: Address;
  /** Unmined fills, oldest first: they settle in this order, so the proceeds of one are available to the next. */
  readonly fills: readonly UnminedFill[];
  /** Open orders, oldest first: the older one has the first claim on the shares. */
  readonly orders: readonly RestingOrder[];
  /** Shares on chain, by `shareKey`; missing entries are 0. */
  readonly shares: ReadonlyMap<string, bigint>;
}

export function shareKey(marketId: MarketId, outcome: Outcome): string {
  return `${marketId}/${outcome}`;
}

/** What one order takes: stablecoin, and held shares. */
interface Claim {
  readonly money: bigint;
  /** Part of the money that is headroom for rounding; an allowance need not cover it. */
  readonly headroom: bigint;
  readonly shares: bigint;
}

/** What an order takes beyond the reserve. */
export interface Need extends Claim {
  readonly reserved: bigint;
  /** Part of the reserve that is headroom for rounding. */
  readonly reservedHeadroom: bigint;
}

const SLACK = BigInt(LIMITS.reserveSlackUnits);

/**
 * Stablecoin, 6 decimals:
 * - an unmined purchase takes its cost; an unmined sale of m shares more than are held takes m less its cost, if that is more; the taker's fee comes
 *   on top of either;
 * - an open BUY takes ceil(price x remaining / 1e6), and the slack, since each fill that it is cut into rounds up;
 * - an open SELL takes the shares that are still free and, for m that are missing, m - floor(price x m / 1e6);
 * - where takers pay a fee, an order takes that of its limit too: a better price may have a higher fee, but never a higher sum. One that rests counts it
 *   as well, since it takes again if it comes back after a failed fill. Of shares that are held the fee comes out of what they bring.
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

/** Reserve of an open BUY, which does not depend on other orders. */
export function reserveOfPurchase({ price, remainingSize, feeRateBps = 0 }: Purchase): bigint {
  return costOf(price, remainingSize) + takerFee(feeRateBps, remainingSize, price) + headroomOf(1, feeRateBps);
}

type Purchase = Pick<RestingOrder, 'price' | 'remainingSize' | 'feeRateBps'>;

/** Part of the reserve that is headroom for rounding; with a fee, each fill rounds twice. */
export function headroomOf(openPurchases: number, feeRateBps = 0): bigint {
  return SLACK * BigInt(feeRateBps === 0 ? openPurchases : 2 * openPurchases);
}

/** Need of an order that is newer than all in `facts`. */
export function needOf(facts: ReserveFacts, order: RestingOrder): Need {
  const free = new FreeShares(facts.shares);
  const reserved = takenByAll(facts, free);
  const purchases = facts.orders.filter(({ side }) => side === BUY);
  const reservedHeadroom = purchases.reduce((sum, { feeRateBps }) => sum + headroomOf(1, feeRateBps), 0n);
  return { ...claimOf(order, free), reserved, reservedHeadroom };
}

/** Shares that the fills leave, by `shareKey`. */
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

/** Change of the balance by the fills: a purchase pays its cost, a sale receives it and pays for what it mints; takers pay fees, makers get their rebate. */
export function netOfFills({ fills, wallet, shares }: Omit<ReserveFacts, 'orders'>): bigint {
  const free = new FreeShares(shares);
  let net = 0n;
  for (const fill of fills) {
    const { marketId, outcome, price, size, buyer, seller } = fill;
    const cost = costOf(price, size);
    if (seller === wallet) {
      const minted = free.take(shareKey(marketId, outcome), BigInt(size));
      free.give(shareKey(marketId, outcome === YES ? NO : YES), minted);
      net += cost - minted + creditOf(fill, SELL);
    }
    if (buyer === wallet) {
      free.give(shareKey(marketId, outcome), BigInt(size));
      net += creditOf(fill, BUY) - cost;
    }
  }
  return net;
}

/** Fee or rebate of one side of a fill; negative for the taker. */
function creditOf({ takerSide, fee = 0, makerRebate = 0 }: UnminedFill, side: Side): bigint {
  return BigInt(side === takerSide ? -fee : makerRebate);
}

/** Money that a fill takes. In a trade with oneself the sale comes first, as on chain. */
function takenByFill(fill: UnminedFill, wallet: Address, free: FreeShares): bigint {
  const { marketId, outcome, price, size, takerSide, fee = 0 } = fill;
  const cost = costOf(price, size);
  let taken = 0n;
  if (fill.seller === wallet) {
    const minted = free.take(shareKey(marketId, outcome), BigInt(size));
    free.give(shareKey(marketId, outcome === YES ? NO : YES), minted);
    const paid = takerSide === SELL ? minted + BigInt(fee) : minted;
    if (paid > cost) taken += paid - cost;
  }
  if (fill.buyer === wallet) {
    free.give(shareKey(marketId, outcome), BigInt(size));
    taken += takerSide === BUY ? cost + BigInt(fee) : cost;
  }
  return taken;
}

function claimOf(order: RestingOrder, free: FreeShares): Claim {
  const { marketId, side, outcome, price, remainingSize, feeRateBps = 0 } = order;
  if (side === BUY) return { money: reserveOfPurchase(order), headroom: headroomOf(1, feeRateBps), shares: 0n };
  const size = BigInt(remainingSize);
  const missing = free.take(shareKey(marketId, outcome), size);
  const money = missing === 0n ? 0n : moneyToMint(price, toSize(Number(missing)), feeRateBps);
  return { money, headroom: 0n, shares: size - missing };
}

function moneyToMint(price: Price, missing: Size, feeRateBps: number): bigint {
  return BigInt(missing) - proceedsRoundedDown(price, missing) + takerFee(feeRateBps, missing, price);
}

/** Free shares: changes on top of the shares on chain, which are not copied, since this is on the order path. */
class FreeShares {
  readonly #held: ReadonlyMap<string, bigint>;
  readonly #changed = new Map<string, bigint>();

  constructor(held: ReadonlyMap<string, bigint>) {
    this.#held = held;
  }

  count(key: string): bigint {
    return this.#changed.get(key) ?? this.#held.get(key) ?? 0n;
  }

  /** Takes shares; returns how many were missing. */
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
