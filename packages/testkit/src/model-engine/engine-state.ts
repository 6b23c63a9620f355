// All state that the engine's decisions depend on, and the few operations that keep its parts consistent.

import { type Book, type CreateBook, NONE } from '@presage/engine';
import {
  type Address,
  type MarketFacts,
  type MarketId,
  type OrderAccepted,
  type OrderHash,
  type Outcome,
  sortKeys,
} from '@presage/protocol/engine-types';
import { LapseHeap } from './memory/lapse-heap.ts';
import { Memory } from './memory/memory.ts';
import { toNonceKey } from './memory/nonce-set.ts';
import { TradeMap, toTradePrefix } from './memory/trade-map.ts';
import { type AccountRecord, type MarketRecord, type OrderRecord, openOrdersOf } from './records.ts';

export interface EngineSettings {
  readonly createBook: CreateBook;
  readonly eventsPerStep: number;
}

export class EngineState {
  readonly markets = new Map<MarketId, MarketRecord>();
  /** Markets that are open or have remembered orders. All others keep only their facts and resolution. */
  readonly liveMarkets = new Set<MarketRecord>();
  readonly marketLapses = new LapseHeap<MarketRecord>();
  readonly memory: Memory;
  /** Closed markets with orders still on the book; the orders by sequence, once they were asked for. */
  readonly closing = new Map<MarketRecord, OrderRecord[] | undefined>();
  /** Most events of one step; the rest waits for the next. */
  readonly eventsPerStep: number;
  /** Orders on books, by slot. */
  readonly #resting: (OrderRecord | undefined)[] = [];
  readonly #freeSlots: number[] = [];
  readonly #createBook: CreateBook;
  /** The last accepted order, which most trades belong to. */
  newest: OrderRecord | undefined = undefined;
  /** Sequence of the last accepted order: time priority over the whole partition. */
  sequence = 0;
  /** Time of the last event. */
  timeMs = 0;
  /** Sequence of the last event in the journal. */
  seq = 0;

  constructor({ createBook, eventsPerStep }: EngineSettings) {
    this.#createBook = createBook;
    this.eventsPerStep = eventsPerStep;
    this.memory = new Memory((market) => this.liveMarkets.delete(market));
  }

  market(id: MarketId): MarketRecord {
    const market = this.markets.get(id);
    if (market === undefined) throw new Error(`event of market ${id}, which was never listed`);
    return market;
  }

  order(hash: OrderHash): OrderRecord {
    const order = this.memory.orders.get(hash);
    if (order === undefined) throw new Error(`event of order ${hash}, which is not remembered`);
    return order;
  }

  resting(slot: number): OrderRecord {
    return this.#resting[slot]!;
  }

  get restingCount(): number {
    return this.#resting.length - this.#freeSlots.length;
  }

  book(market: MarketRecord, outcome: Outcome): Book {
    const known = market.books[outcome];
    if (known !== undefined) return known;
    const book = this.#createBook(outcome);
    market.books[outcome] = book;
    return book;
  }

  /**
   * Sorts the keys of the facts once, so that a checkpoint need not sort them again: most of its markets were closed
   * long ago.
   */
  addMarket(facts: MarketFacts): MarketRecord {
    if (this.markets.has(facts.marketId)) throw new Error(`market ${facts.marketId} is listed twice`);
    const market: MarketRecord = {
      id: facts.marketId,
      facts: sortKeys(facts),
      tradePrefix: toTradePrefix(facts.marketId),
      lapsesMs: facts.expiration * 1000,
      closeReason: undefined,
      resolution: undefined,
      step: 0,
      tradeCount: 0,
      openCount: 0,
      updatedMs: 0,
      books: [undefined, undefined],
      accounts: new Map(),
      trades: new TradeMap(),
    };
    this.markets.set(market.id, market);
    this.liveMarkets.add(market);
    return market;
  }

  account(market: MarketRecord, trader: Address): AccountRecord {
    const known = market.accounts.get(trader);
    if (known !== undefined) return known;
    const account: AccountRecord = {
      trader,
      byNonce: new Map(),
      highestNonce: -1,
      firstOpen: undefined,
      spent: undefined,
    };
    market.accounts.set(trader, account);
    return account;
  }

  /** Keeps the event object itself, which another engine that applies it then shares. */
  addOrder(accepted: OrderAccepted, sequence: number): OrderRecord {
    const { order } = accepted;
    const market = this.market(accepted.marketId);
    const account = this.account(market, order.trader);
    const record: OrderRecord = {
      accepted,
      market,
      account,
      outcome: order.outcome,
      side: order.side,
      price: order.price,
      sequence,
      lapsesMs: Math.min(Number(order.expiration) * 1000, market.lapsesMs),
      slot: NONE,
      nextOpen: undefined,
      previousOpen: undefined,
      filled: 0,
      status: 'open',
      isNonceSpent: false,
      holds: 0,
      isDropped: false,
      lastFirstFill: undefined,
      firstStatus: 'open',
    };
    holdNonce(account, record);
    this.memory.remember(record);
    return record;
  }

  putOnBook(order: OrderRecord, size: number): void {
    order.slot = this.#freeSlots.pop() ?? this.#resting.length;
    this.#resting[order.slot] = order;
    linkOpen(order);
    order.market.openCount++;
    order.status = 'open';
    const { slot, side, price, sequence } = order;
    this.book(order.market, order.outcome).insert(slot, side, price, sequence, size);
  }

  /** Called after the book has removed the order. */
  freeSlot(order: OrderRecord): void {
    this.#resting[order.slot] = undefined;
    this.#freeSlots.push(order.slot);
    order.slot = NONE;
    unlinkOpen(order);
    order.market.openCount--;
    if (order.market.openCount === 0) this.closing.delete(order.market);
  }

  /** Notes a closed market whose remaining orders are cancelled by later steps. */
  noteClosing(market: MarketRecord): void {
    if (market.openCount > 0) this.closing.set(market, undefined);
  }

  /** Remaining orders, oldest first. Nothing is added to a closed market, so they are sorted once. */
  leftIn(market: MarketRecord): OrderRecord[] {
    const known = this.closing.get(market)?.filter((order) => order.status === 'open');
    const left = known ?? openOrdersOf(market);
    this.closing.set(market, left);
    return left;
  }
}

function holdNonce(account: AccountRecord, order: OrderRecord): void {
  const key = toNonceKey(order.accepted.order.nonce);
  account.byNonce.set(key, order);
  if (typeof key === 'number' && key > account.highestNonce) account.highestNonce = key;
}

function linkOpen(order: OrderRecord): void {
  const first = order.account.firstOpen;
  order.nextOpen = first;
  if (first !== undefined) first.previousOpen = order;
  order.account.firstOpen = order;
}

function unlinkOpen(order: OrderRecord): void {
  const { nextOpen, previousOpen } = order;
  if (previousOpen === undefined) order.account.firstOpen = nextOpen;
  else previousOpen.nextOpen = nextOpen;
  if (nextOpen !== undefined) nextOpen.previousOpen = previousOpen;
  order.nextOpen = undefined;
  order.previousOpen = undefined;
}
