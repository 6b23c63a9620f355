// What the engine remembers of a market, of a wallet in it, of an order and of a trade.

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
  /** Its keys are sorted, as those of its resolution are: the same data must give the same bytes in a checkpoint. */
  readonly facts: MarketFacts;
  /** What the ids of its trades begin with. */
  readonly tradePrefix: string;
  readonly lapsesMs: number;
  /** Undefined while the market is open. */
  closeReason: MarketCloseReason | undefined;
  resolution: MarketResolution | undefined;
  step: number;
  tradeCount: number;
  /** Orders on its books. */
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
  /** No order was ever remembered here with a nonce above it, of those that are numbers as keys. */
  highestNonce: number;
  /** Head of a list through `nextOpen`: a set would cost a hash at every open and close. */
  firstOpen: OrderRecord | undefined;
  /** Nonces of dropped orders that traded: on chain the filled amount stays under them. */
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
  /** When it ends and may be dropped: its expiration or the market's, whichever is sooner. */
  readonly lapsesMs: number;
  /** NONE while it is off the book. */
  slot: number;
  nextOpen: OrderRecord | undefined;
  previousOpen: OrderRecord | undefined;
  /** Sum of its trades that have not failed. */
  filled: number;
  status: OrderStatus;
  /** Whether the nonce outlives the order: it traded, or it was cancelled on chain. */
  isNonceSpent: boolean;
  /** Remembered trades it takes part in; while there is one, the order is remembered too. */
  holds: number;
  isDropped: boolean;
  /** The answer of its first step, for the same order submitted again: the last fill, which leads to those before it. */
  lastFirstFill: Fill | undefined;
  firstStatus: OrderStatus;
}

/** What never changes of a trade: an order's answer keeps it when the trade is no longer remembered. */
export interface Fill {
  /** Its match's place in the journal: unique, and growing with time. */
  readonly id: number;
  readonly tradeId: string;
  readonly price: Price;
  readonly size: Size;
  /** The taker's fill before this one in its first step: a list through them, since most have one and an array has room for many. */
  readonly previous: Fill | undefined;
}

/** Market, outcome and price are its maker's, the side its taker's. */
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

/** The order that holds a nonce. Most wallets count upward, and what is above all others is not looked for. */
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

/** What is on the book of an open order between steps; of a final one, what was never filled. */
export function unfilledOf(order: OrderRecord): number {
  return order.accepted.order.size - order.filled;
}

/** In the order they were made. */
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

/** Oldest first. */
export function openOrdersOf(market: MarketRecord, trader?: Address): OrderRecord[] {
  const open: OrderRecord[] = [];
  const accounts = trader === undefined ? market.accounts.values() : [market.accounts.get(trader)];
  for (const account of accounts) {
    for (let order = account?.firstOpen; order !== undefined; order = order.nextOpen) open.push(order);
  }
  return open.sort(bySequence);
}
