// Decides whether a wallet's means cover its obligations, and which orders must be cancelled if they do not. Pure.
import { SELL } from '@presage/protocol';
import {
  computeReserve,
  type Need,
  netOfFills,
  type ReserveFacts,
  type RestingOrder,
  shareKey,
  sharesAfterFills,
} from './reserve.ts';

/**
 * What the settlement contract may take from a wallet. A fill takes its whole cost from the deposit if that covers it, and otherwise from
 * the wallet. So a reserve is certainly covered, however it is split into fills, only if one of the two covers all of it. They are never
 * added.
 */
export interface Means {
  readonly balance: bigint;
  readonly allowance: bigint;
  readonly deposited: bigint;
  readonly sharesApproved: boolean;
}

/** `approval`: shares are held, but the settlement contract may not move them. */
export type Shortage = 'balance' | 'allowance' | 'approval';

export interface RankedOrder extends RestingOrder {
  /** Time priority: the higher, the newer. */
  readonly sequence: number;
}

/** Orders, fills and shares of a wallet in one market. */
export interface MarketFunds<O extends RankedOrder> extends ReserveFacts {
  readonly orders: readonly O[];
}

interface Claimant<O> {
  readonly order: O;
  readonly money: bigint;
  readonly headroom: bigint;
}

/** Finds what an order lacks. An order that takes no money is not refused for missing money. */
export function findShortage(need: Need, means: Means): Shortage | undefined {
  const { money, shares, reserved } = need;
  const needsWallet = money > 0n && reserved + money > means.deposited;
  if (needsWallet && reserved + money > means.balance) return 'balance';
  // A permit for exactly the cost is fair: the headroom for rounding is required of the balance only.
  if (needsWallet && reserved - need.reservedHeadroom + money - need.headroom > means.allowance) return 'allowance';
  return shares > 0n && !means.sharesApproved ? 'approval' : undefined;
}

/** Amount that the deposit or the balance, whichever is larger, has beyond the reserve. */
export function availableOf({ balance, deposited }: Pick<Means, 'balance' | 'deposited'>, reserved: bigint): bigint {
  const most = deposited > balance ? deposited : balance;
  return most > reserved ? most - reserved : 0n;
}

/**
 * Orders that must be cancelled so that the rest is covered, newest first. Held shares that may not be moved stop every sale of them,
 * whatever the order of fills; for missing money, the newest orders that take some go until the rest suffices. An older order has the first
 * claim on shares, so no remaining order takes more because a newer one went. Proceeds of pending fills count here, although they count for
 * no new order: they arrive before the orders fill, and a reorganization turns money that was there into money to come.
 */
export function findUncovered<O extends RankedOrder>(markets: readonly MarketFunds<O>[], means: Means): O[] {
  const uncovered: O[] = [];
  const claimants: Claimant<O>[] = [];
  let reserved = 0n;
  let headroom = 0n;
  let toCome = 0n;
  for (const market of markets) {
    const { byFills, byOrders } = computeReserve(market);
    const left = sharesAfterFills(market);
    reserved += byFills;
    toCome += byFills + netOfFills(market);
    for (const [index, order] of market.orders.entries()) {
      const { money, headroom: own } = byOrders[index]!;
      if (!means.sharesApproved && sellsHeld(order, left)) uncovered.push(order);
      else claimants.push({ order, money, headroom: own });
    }
  }
  for (const claimant of claimants) {
    reserved += claimant.money;
    headroom += claimant.headroom;
  }
  for (const { order, money, headroom: own } of claimants.sort((a, b) => b.order.sequence - a.order.sequence)) {
    // Proceeds of a depositor go into the deposit.
    if (reserved <= (means.deposited > 0n ? means.deposited + toCome : 0n)) break;
    if (reserved <= means.balance + toCome && reserved - headroom <= means.allowance) break;
    if (money === 0n) continue;
    uncovered.push(order);
    reserved -= money;
    headroom -= own;
  }
  return uncovered.sort((a, b) => b.sequence - a.sequence);
}

function sellsHeld({ side, marketId, outcome }: RankedOrder, left: (key: string) => bigint): boolean {
  return side === SELL && left(shareKey(marketId, outcome)) > 0n;
}
