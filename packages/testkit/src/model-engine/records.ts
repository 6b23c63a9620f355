// The engine's records of a market, a wallet in it, an order and a trade.

import type { Book } from '@presage/engine';
import type {
  Address,
  MarketCloseReason,
  MarketFacts,
  MarketId,
  MarketResolution,
  OrderAccepted,
  OrderStatus,
  Outcome,
  Price,
  Side,
  Size,
  TradeSettlement,
  TradeStage,
} from '@presage/protocol/engine-types';
import { type NonceKey, type NonceSet, toNonceKey } from './memory/nonce-set.ts';
import type { TradeMap } from './memory/trade-map.ts';

export interface MarketRecord {
  readonly id: MarketId;
  /** Keys are sorted, as in its resolution: the same data must give the same bytes in a checkpoint. */
  readonly facts: MarketFacts;
  /** Prefix of the ids of its trades. */
  readonly tradePrefix: string;
  readonly lapsesMs: number;
  /** Undefined while the market is open. */
  closeReason: MarketCloseReason | undefined;
  resolution: MarketResolution | undefined;
  step: number;
  tradeCount: number;
  /** Number of orders on its books. */
  openCount: number;
  updatedMs: number;
  /** Books by outcome, created with the first order. */
  readonly books: [Book | undefined, Book | undefined];
  readonly accounts: Map<Address, AccountRecord>;
  readonly trades: TradeMap<TradeRecord>;
}

/** A wallet in one market: nonces are unique per (trader, market), as on chain. */
export interface AccountRecord {
  readonly trader: Address;
  readonly byNonce: Map<NonceKey, OrderRecord>;
  /** Highest remembered nonce among those that are numbers as keys. */
  highestNonce: number;
  /** First open order, linked through `nextOpen`: a set would cost a hash at every open and close. */
  firstOpen: OrderRecord | undefined;
  /** Nonces of dropped orders that traded: the chain keeps the filled amount under them. */
  spent: NonceSet | undefined;
}

export interface OrderRecord {
  readonly accepted: OrderAccepted;
  readonly market: MarketRecord;
  readonly account: AccountRecord;
  readonly outcome: Outcome;
  readonly side: Side;
  readonly price: Price;
  readonly sequence: number;
  /** Its expiration or the market's, whichever is sooner; then it may be dropped. */
  readonly lapsesMs: number;
  /** Slot on the book; NONE while it is off the book. */
  slot: number;
  nextOpen: OrderRecord | undefined;
  previousOpen: OrderRecord | undefined;
  /** Sum of its trades that have not failed. */
  filled: number;
  status: OrderStatus;
  /** Whether the nonce outlives the order, because it traded or was cancelled on chain. */
  isNonceSpent: boolean;
  /** Number of remembered trades that it takes part in; above 0 the order is remembered too. */
  holds: number;
  isDropped: boolean;
  /** The last fill of its first step, linked to earlier ones: the answer if the same order is submitted again. */
  lastFirstFill: Fill | undefined;
  firstStatus: OrderStatus;
}

/** The constant part of a trade: an order's answer keeps it after the trade is dropped. */
export interface Fill {
  /** Sequence of its match in the journal: unique, and growing with time. */
  readonly id: number;
  readonly tradeId: string;
  readonly price: Price;
  readonly size: Size;
  /**
   * The taker's previous fill in its first step: a linked list, because most takers have one fill and an array
   * allocates room for many.
   */
  readonly previous: Fill | undefined;
}

/** A remembered trade. Market, outcome and price are the maker's, the side is the taker's. */
export interface TradeRecord {
  readonly fill: Fill;
  readonly timeMs: number;
  readonly maker: OrderRecord;
  readonly taker: OrderRecord;
  stage: TradeStage;
  settlement: TradeSettlement | undefined;
  /** Time of the last move. */
  movedMs: number;
}

/** The order that holds a nonce. Most wallets count upward, so a nonce above all others needs no look-up. */
export function holderOf(account: AccountRecord, nonce: bigint): OrderRecord | undefined {
  const key = toNonceKey(nonce);
  return typeof key === 'number' && key > account.highestNonce ? undefined : account.byNonce.get(key);
}

export function isOpenAt(market: MarketRecord, timeMs: number): boolean {
  return market.closeReason === undefined && market.lapsesMs > timeMs && !isUnderProposal(market);
}

function isUnderProposal({ resolution }: MarketRecord): boolean {
  return resolution?.status === 'proposed' || resolution?.status === 'disputed';
}

export function expiresMs(order: OrderRecord): number {
  return Number(order.accepted.order.expiration) * 1000;
}

/** Between steps: size of an open order on the book, or the part of a final order that was never filled. */
export function unfilledOf(order: OrderRecord): number {
  return order.accepted.order.size - order.filled;
}

/** Fills of the first step in order. */
export function firstFillsOf(order: Pick<OrderRecord, 'lastFirstFill'>): Fill[] {
  const fills: Fill[] = [];
  for (let fill = order.lastFirstFill; fill !== undefined; fill = fill.previous) fills.push(fill);
  return fills.reverse();
}

export function bySequence(a: Pick<OrderRecord, 'sequence'>, b: Pick<OrderRecord, 'sequence'>): number {
  return a.sequence - b.sequence;
}

export function byMarketId(a: MarketRecord, b: MarketRecord): number {
  return a.id < b.id ? -1 : 1;
}

/** Open orders, oldest first. */
export function openOrdersOf(market: MarketRecord, trader?: Address): OrderRecord[] {
  const open: OrderRecord[] = [];
  const accounts = trader === undefined ? market.accounts.values() : [market.accounts.get(trader)];
  for (const account of accounts) {
    for (let order = account?.firstOpen; order !== undefined; order = order.nextOpen) open.push(order);
  }
  return open.sort(bySequence);
}
