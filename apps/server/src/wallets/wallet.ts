// State of one wallet in the collateral check: its holdings on chain, and what its orders and trades reserve.
import type { OrderView, TradeView } from '@presage/engine';
import {
  type Address,
  BUY,
  type MarketId,
  type Order,
  type OrderHash,
  SELL,
  type SignedOrder,
  type Size,
} from '@presage/protocol';
import { findUncovered, type MarketFunds, type Means, type RankedOrder } from './cover.ts';
import { headroomOf, type Need, needOf, netOfFills, reserveOf, reserveOfPurchase, shareKey } from './reserve.ts';

export interface OpenOrder extends RankedOrder {
  readonly orderHash: OrderHash;
}

/** A wallet's holdings on chain, all at one block. */
export interface Holdings extends Means {
  readonly blockNumber: number;
  /** Allowance from permits that a reorganization dropped from their block, once they are mined again; 0 if there are none. */
  readonly lostAllowance: bigint;
  /** Shares that were read, by `shareKey`. */
  readonly shares: ReadonlyMap<string, bigint>;
  /** Trades that these figures contain although they are not known to be mined. */
  readonly contained: ReadonlySet<string>;
}

/** An order that may not be placed yet, by its hash. */
export type ComingOrder = Pick<SignedOrder, 'orderHash' | 'order'>;

/** Fee rate of takers in a market; undefined if there is no fee. */
export type FeeRateOf = (marketId: MarketId) => number | undefined;

export interface ShareName {
  readonly marketId: MarketId;
  readonly outcome: Order['outcome'];
}

/**
 * Orders and fills in one market. Purchases are separate: their reserve is a running sum, while sales and fills share the held shares and
 * are computed together.
 */
interface MarketCommitments {
  readonly buys: Map<OrderHash, OpenOrder>;
  readonly sells: Map<OrderHash, OpenOrder>;
  buyMoney: bigint;
  /** Fills by trade id. */
  readonly fills: Map<string, TradeView>;
}

/** Rank of an admitted order that is not durable yet: newer than all durable ones. */
const ADMITTED = Number.MAX_SAFE_INTEGER;
const NO_SHARES: ReadonlyMap<string, bigint> = new Map();
/** Most recently requested shares that are included in readings: who sold in a market is likely to sell there again. */
const MAX_ASKED = 64;

export class Wallet {
  readonly address: Address;
  readonly #markets = new Map<MarketId, MarketCommitments>();
  /** Reserve of sales and fills by market, recomputed only for a market in which one of them changed. */
  readonly #saleReserves = new Map<MarketId, bigint>();
  readonly #asked = new Map<string, ShareName>();
  readonly #usedNonces = new Set<string>();
  readonly #feeRateOf: FeeRateOf;
  #holdings: Holdings | undefined;
  #questions = 0;

  constructor(address: Address, feeRateOf: FeeRateOf) {
    this.address = address;
    this.#feeRateOf = feeRateOf;
  }

  get holdings(): Holdings | undefined {
    return this.#holdings;
  }

  /** Whether the wallet has no reserve and no question in progress. */
  get isIdle(): boolean {
    return this.#markets.size === 0 && this.#questions === 0;
  }

  /** Keeps the wallet followed until `endQuestion`, so that records that become durable in between count in the answer. */
  beginQuestion(): void {
    this.#questions++;
  }

  endQuestion(): void {
    this.#questions--;
  }

  isKnownFor(order: Order): boolean {
    if (this.#holdings === undefined) return false;
    return order.side === BUY || this.#holdings.shares.has(shareKey(order.marketId, order.outcome));
  }

  setHoldings(holdings: Holdings): void {
    this.#holdings = holdings;
    this.#saleReserves.clear();
    for (const [marketId, market] of this.#markets) {
      for (const [tradeId, trade] of market.fills) {
        if (trade.stage === 'confirmed' && this.#isContained(trade)) market.fills.delete(tradeId);
      }
      this.#tidy(marketId, market);
    }
  }

  /** Includes these shares in readings from now on. */
  ask({ marketId, outcome }: ShareName): void {
    const key = shareKey(marketId, outcome);
    this.#asked.delete(key);
    this.#asked.set(key, { marketId, outcome });
    const [oldest] = this.#asked.keys();
    if (this.#asked.size > MAX_ASKED) this.#asked.delete(oldest!);
  }

  /** Shares that the wallet sells or that were requested. */
  shareNames(): ShareName[] {
    const names = new Map<string, ShareName>(this.#asked);
    const add = ({ marketId, outcome }: ShareName) => names.set(shareKey(marketId, outcome), { marketId, outcome });
    for (const { sells, fills } of this.#markets.values()) {
      for (const order of sells.values()) add(order);
      for (const fill of fills.values()) if (fill.seller === this.address) add(fill);
    }
    return [...names.values()];
  }

  /** Fills, oldest first in each market. */
  fills(): TradeView[] {
    return [...this.#markets.values()].flatMap(({ fills }) => [...fills.values()]);
  }

  touchOrder({ signed, status, remainingSize, sequence }: OrderView): void {
    const { orderHash, order } = signed;
    if (status !== 'open') this.dropOrder(order.marketId, orderHash);
    else this.#put(this.#toOpenOrder(orderHash, order, remainingSize, sequence));
  }

  dropOrder(marketId: MarketId, orderHash: OrderHash): void {
    const market = this.#markets.get(marketId);
    if (market === undefined) return;
    const bought = market.buys.get(orderHash);
    if (bought !== undefined) market.buyMoney -= reserveOfPurchase(bought);
    market.buys.delete(orderHash);
    if (market.sells.delete(orderHash)) this.#saleReserves.delete(marketId);
    this.#tidy(marketId, market);
  }

  /** Updates a fill. A confirmed one stays until the holdings contain it: otherwise its cost would count nowhere for a moment. */
  touchFill(trade: TradeView): void {
    const isOver = trade.stage === 'confirmed' && this.#isContained(trade);
    if (isOver) this.dropFill(trade.marketId, trade.tradeId);
    else this.#changeSales(trade.marketId).fills.set(trade.tradeId, trade);
  }

  dropFill(marketId: MarketId, tradeId: string): void {
    if (!this.#markets.get(marketId)?.fills.has(tradeId)) return;
    const market = this.#changeSales(marketId);
    market.fills.delete(tradeId);
    this.#tidy(marketId, market);
  }

  /** Counts an admitted order as open until it is placed or released. */
  hold({ orderHash, order }: SignedOrder): void {
    if (this.#find(order.marketId, orderHash) === undefined) {
      this.#put(this.#toOpenOrder(orderHash, order, order.size, ADMITTED));
    }
  }

  release({ orderHash, order }: SignedOrder): void {
    const held = this.#find(order.marketId, orderHash);
    if (held?.sequence === ADMITTED) this.dropOrder(order.marketId, orderHash);
  }

  noteUsedNonce(marketId: MarketId, nonce: bigint): void {
    this.#usedNonces.add(`${marketId}/${nonce}`);
  }

  forgetUsedNonces(): void {
    this.#usedNonces.clear();
  }

  hasUsedNonce({ marketId, nonce }: Pick<Order, 'marketId' | 'nonce'>): boolean {
    return this.#usedNonces.size > 0 && this.#usedNonces.has(`${marketId}/${nonce}`);
  }

  /** Stablecoin reserved by all open orders, admitted orders and unsettled fills. */
  reserved(): bigint {
    let reserved = 0n;
    for (const [marketId, { buyMoney }] of this.#markets) reserved += buyMoney + this.#saleReserveIn(marketId);
    return reserved;
  }

  /** Change of the balance by unsettled fills. */
  unsettled(): bigint {
    let net = 0n;
    for (const marketId of this.#markets.keys()) net += netOfFills(this.#fundsIn(marketId, []));
    return net;
  }

  /** Part of the reserve that is headroom for rounding. */
  headroom(): bigint {
    let headroom = 0n;
    for (const [marketId, { buys }] of this.#markets) headroom += headroomOf(buys.size, this.#feeRateOf(marketId));
    return headroom;
  }

  needOf({ orderHash, order }: ComingOrder): Need {
    const { marketId, size } = order;
    const all = this.reserved();
    const coming = this.#toOpenOrder(orderHash, order, size, ADMITTED);
    if (order.side === BUY) {
      const own = this.#markets.get(marketId)?.buys.get(orderHash);
      const counted = own === undefined ? 0n : reserveOfPurchase(own);
      const headroom = headroomOf(1, coming.feeRateBps);
      const reservedHeadroom = this.headroom() - (own === undefined ? 0n : headroom);
      return { money: reserveOfPurchase(coming), headroom, shares: 0n, reserved: all - counted, reservedHeadroom };
    }
    const sales = this.#fundsIn(marketId, this.#salesIn(marketId, orderHash));
    const here = needOf(sales, coming);
    const reserved = all - this.#saleReserveIn(marketId) + here.reserved;
    return {
      money: here.money,
      headroom: here.headroom,
      shares: here.shares,
      reserved,
      reservedHeadroom: this.headroom(),
    };
  }

  /** Uncovered orders, newest first; none while the holdings are unknown. */
  findUncovered(pendingAllowance: bigint): OpenOrder[] {
    const means = this.#holdings;
    if (means === undefined) return [];
    const { balance, deposited, sharesApproved, lostAllowance } = means;
    const coming = lostAllowance > pendingAllowance ? lostAllowance : pendingAllowance;
    const allowance = means.allowance > coming ? means.allowance : coming;
    const markets = [...this.#markets].map(([marketId, { buys, sells }]) => {
      const placed = [...buys.values(), ...sells.values()].filter(({ sequence }) => sequence !== ADMITTED);
      return this.#fundsIn(marketId, placed);
    });
    return findUncovered(markets, { balance, allowance, deposited, sharesApproved });
  }

  #saleReserveIn(marketId: MarketId): bigint {
    const known = this.#saleReserves.get(marketId);
    if (known !== undefined) return known;
    const reserve = reserveOf(this.#fundsIn(marketId, this.#salesIn(marketId)));
    if (this.#markets.has(marketId)) this.#saleReserves.set(marketId, reserve);
    return reserve;
  }

  #salesIn(marketId: MarketId, without?: OrderHash): OpenOrder[] {
    const sells: OpenOrder[] = [];
    for (const order of this.#markets.get(marketId)?.sells.values() ?? []) {
      if (order.orderHash !== without) sells.push(order);
    }
    return sells;
  }

  #fundsIn(marketId: MarketId, orders: OpenOrder[]): MarketFunds<OpenOrder> {
    const fills: TradeView[] = [];
    for (const trade of this.#markets.get(marketId)?.fills.values() ?? []) {
      if (!this.#isContained(trade)) fills.push(trade);
    }
    // A fill that a reorganization dropped from its block was added again behind newer ones.
    fills.sort((a, b) => a.id - b.id);
    orders.sort((a, b) => a.sequence - b.sequence);
    return { wallet: this.address, fills, orders, shares: this.#holdings?.shares ?? NO_SHARES };
  }

  #isContained({ tradeId, stage, settlement }: TradeView): boolean {
    const holdings = this.#holdings;
    if (holdings === undefined) return stage === 'mined' || stage === 'confirmed';
    if (stage !== 'mined' && stage !== 'confirmed') return holdings.contained.has(tradeId);
    return (settlement?.blockNumber ?? 0) <= holdings.blockNumber;
  }

  #find(marketId: MarketId, orderHash: OrderHash): OpenOrder | undefined {
    const market = this.#markets.get(marketId);
    return market?.buys.get(orderHash) ?? market?.sells.get(orderHash);
  }

  #put(order: OpenOrder): void {
    if (order.side === SELL) {
      this.#changeSales(order.marketId).sells.set(order.orderHash, order);
      return;
    }
    const market = this.#marketOf(order.marketId);
    const previous = market.buys.get(order.orderHash);
    if (previous !== undefined) market.buyMoney -= reserveOfPurchase(previous);
    market.buyMoney += reserveOfPurchase(order);
    market.buys.set(order.orderHash, order);
  }

  #changeSales(marketId: MarketId): MarketCommitments {
    this.#saleReserves.delete(marketId);
    return this.#marketOf(marketId);
  }

  #marketOf(marketId: MarketId): MarketCommitments {
    const known = this.#markets.get(marketId);
    if (known !== undefined) return known;
    const market = { buys: new Map(), sells: new Map(), buyMoney: 0n, fills: new Map() };
    this.#markets.set(marketId, market);
    return market;
  }

  #tidy(marketId: MarketId, { buys, sells, fills }: MarketCommitments): void {
    if (buys.size > 0 || sells.size > 0 || fills.size > 0) return;
    this.#markets.delete(marketId);
    this.#saleReserves.delete(marketId);
  }

  #toOpenOrder(orderHash: OrderHash, order: Order, remaining: number, sequence: number): OpenOrder {
    const { marketId, side, outcome, price } = order;
    const feeRateBps = this.#feeRateOf(marketId);
    const open = { orderHash, marketId, side, outcome, price, remainingSize: remaining as Size, sequence }; // not zero
    return feeRateBps === undefined ? open : { ...open, feeRateBps };
  }
}
