// All state that the engine's decisions depend on, and the few operations that keep its parts consistent.
import { type MarketFacts, type MarketId, NO, type OrderHash, type Outcome, YES } from '@presage/protocol/engine-types';
import { NONE } from './book/book.ts';
import { type BookPools, copyBookPools, createBookPools, FastBook } from './book/fast-book.ts';
import { Draft } from './draft.ts';
import { MarketTable } from './market-table.ts';
import { countOf, type MarketRecord } from './records.ts';
import { AccountSlab, type FIRST_FINAL, FIRST_OPEN } from './slabs/account-slab.ts';
import { HandleTable } from './slabs/handle-table.ts';
import { HexWords, toNumber } from './slabs/hex-words.ts';
import { LapseHeap } from './slabs/lapse-heap.ts';
import { NEXT_LISTED, ORDER_WORDS, OrderSlab, PREVIOUS_LISTED } from './slabs/order-slab.ts';
import { PackedCommands } from './slabs/packed-commands.ts';
import { SignedOrders } from './slabs/signed-orders.ts';
import { ownedTagOf } from './slabs/tags.ts';
import { TradeSlab } from './slabs/trade-slab.ts';
import type { TakenAhead } from './taken-ahead.ts';

export interface EngineSettings {
  readonly eventsPerStep: number;
  readonly placesSeed: number;
  readonly ordersAhead: number;
}

export class EngineState {
  readonly settings: EngineSettings;
  markets: MarketTable;
  /** Markets that are open or have remembered orders. */
  readonly liveMarkets = new Set<MarketRecord>();
  /** Closed markets with orders still on the book; the orders by sequence, once they were asked for. */
  readonly closing = new Map<MarketRecord, number[] | undefined>();
  signed: SignedOrders;
  orders = new OrderSlab();
  accounts: AccountSlab;
  trades: TradeSlab;
  /** The order that holds each nonce of an account. */
  nonces = new HandleTable();
  orderLapses = new LapseHeap();
  tradeLapses = new LapseHeap();
  marketLapses = new LapseHeap();
  /** Expired orders removed from the heap while still on a book: a tick will remove them. */
  expiredOpen = new Set<number>();
  /** Orders that may be dropped with the next step. */
  ended: number[] = [];
  /** The last accepted order, which most trades belong to; NONE once it was dropped. */
  newest = NONE;
  /** The last accepted order while it is not on the book: most orders that trade at once never need to be. */
  pending = NONE;
  restingCount = 0;
  rememberedCount = 0;
  /** Sequence of the last accepted order: time priority over the whole partition. */
  sequence = 0;
  /** Time of the last event. */
  timeMs = 0;
  /** Sequence of the last event in the journal. */
  seq = 0;
  readonly draft = new Draft();
  /** Set during the trial of a batch. */
  ahead: TakenAhead | undefined = undefined;
  /** Space for one command given as an object, or one order of an event. */
  readonly packed = new PackedCommands(1);
  readonly #hash = new HexWords(32);
  readonly #address = new HexWords(20);
  #books: BookPools;

  constructor(settings: EngineSettings) {
    const { placesSeed, ordersAhead } = settings;
    this.settings = settings;
    this.markets = new MarketTable(placesSeed);
    this.signed = new SignedOrders(placesSeed, ordersAhead);
    this.orders.reserve(ordersAhead);
    this.nonces.reserve(ordersAhead);
    this.accounts = new AccountSlab(placesSeed);
    this.trades = new TradeSlab(placesSeed);
    this.#books = createBookPools(this.orders);
  }

  /** Uses another slab of orders, with empty books. */
  useOrders(orders: OrderSlab): void {
    this.orders = orders;
    this.#books = createBookPools(orders);
  }

  /** Copies orders and books of another state. Its markets must exist here. */
  copyBooks(from: EngineState): void {
    this.orders = from.orders.copy(from.signed.used);
    this.#books = copyBookPools(from.#books, this.orders);
    for (const { number, books } of from.markets.records()) {
      const copies = this.markets.at(number).books;
      for (const outcome of [YES, NO] as const) copies[outcome] = books[outcome]?.copy(outcome, this.#books);
    }
  }

  market(id: MarketId): MarketRecord {
    const market = this.markets.get(id);
    if (market === undefined) throw new Error(`event of market ${id}, which was never listed`);
    return market;
  }

  /** The order with this hash; NONE if it is not remembered. */
  findOrder(hash: OrderHash): number {
    return this.#hash.read(hash) ? this.findOrderAt(this.#hash.words, 0) : NONE;
  }

  /** The order whose hash is in `words` at `at`. */
  findOrderAt(words: Int32Array, at: number): number {
    const { signed } = this;
    const tag = signed.tagOf(words, at);
    for (let place = signed.firstPlace(tag); place !== NONE; place = signed.nextPlace(place, tag)) {
      const order = signed.orderAt(place);
      if (signed.hasHash(order, words, at) && this.orders.isPresent(order)) return order;
    }
    return NONE;
  }

  order(hash: OrderHash): number {
    const order = this.findOrder(hash);
    if (order === NONE) throw new Error(`event of order ${hash}, which is not remembered`);
    return order;
  }

  /** Whether the handle is an order with this hash. */
  isOrder(order: number, hash: OrderHash): boolean {
    return order !== NONE && this.#hash.read(hash) && this.signed.hasHash(order, this.#hash.words, 0);
  }

  marketOf(order: number): MarketRecord {
    return this.markets.at(this.accounts.market(this.orders.account(order)));
  }

  /** Between steps: size of an open order on the book, or the part of a final order that was never filled. */
  unfilledOf(order: number): number {
    return this.signed.size(order) - this.orders.filled(order);
  }

  book(market: MarketRecord, outcome: Outcome): FastBook {
    const known = market.books[outcome];
    if (known !== undefined) return known;
    const book = new FastBook(outcome, this.#books);
    market.books[outcome] = book;
    return book;
  }

  addMarket(facts: MarketFacts): MarketRecord {
    const market = this.markets.add(facts);
    this.liveMarkets.add(market);
    return market;
  }

  findAccount(market: MarketRecord, trader: string): number {
    return this.#address.read(trader) ? this.accounts.find(market.number, this.#address.words, 0) : NONE;
  }

  /** The account of the wallet whose address is in `words` at `at`. */
  accountFor(market: MarketRecord, words: Int32Array, at: number): number {
    const known = this.accounts.find(market.number, words, at);
    if (known !== NONE) return known;
    const account = this.accounts.add(market.number, words, at, market.firstAccount);
    market.firstAccount = account;
    market.accountCount++;
    return account;
  }

  /** Removes an account without orders and spent nonces. */
  removeAccount(market: MarketRecord, account: number): void {
    market.firstAccount = this.accounts.remove(account) ?? market.firstAccount;
    market.accountCount--;
  }

  /** The order that holds a nonce, or NONE. Most wallets count upward, so a nonce above all others needs no look-up. */
  holderOf(account: number, low: number, high: number): number {
    if (toNumber(low, high) > this.accounts.highestNonce(account)) return NONE;
    const place = this.#holderPlace(account, low, high);
    return place === NONE ? NONE : this.nonces.handle(place);
  }

  /** Gives the nonce to this order, taking it from any other that holds it. */
  holdNonce(order: number): void {
    const account = this.orders.account(order);
    const low = this.signed.nonceLow(order);
    const high = this.signed.nonceHigh(order);
    const nonce = toNumber(low, high);
    const isAbove = nonce > this.accounts.highestNonce(account);
    const place = isAbove ? NONE : this.#holderPlace(account, low, high);
    if (place !== NONE) this.nonces.replace(place, order);
    else this.nonces.add(this.#nonceTag(account, low, high), order);
    this.accounts.noteNonce(account, nonce);
  }

  /** Like `holdNonce`, for orders added in any sequence: the newest one holds the nonce. */
  holdNonceIfNewest(order: number): void {
    const account = this.orders.account(order);
    const low = this.signed.nonceLow(order);
    const high = this.signed.nonceHigh(order);
    const place = this.#holderPlace(account, low, high);
    if (place === NONE) this.nonces.add(this.#nonceTag(account, low, high), order);
    else if (this.orders.sequence(this.nonces.handle(place)) < this.orders.sequence(order))
      this.nonces.replace(place, order);
  }

  /** No effect if another order holds it by now. */
  freeNonce(order: number): void {
    const low = this.signed.nonceLow(order);
    const high = this.signed.nonceHigh(order);
    this.nonces.delete(this.#nonceTag(this.orders.account(order), low, high), order);
  }

  #holderPlace(account: number, low: number, high: number): number {
    const { nonces, signed, orders } = this;
    const tag = this.#nonceTag(account, low, high);
    for (let place = nonces.first(tag); place !== NONE; place = nonces.next(place, tag)) {
      const order = nonces.handle(place);
      const isSame = signed.nonceLow(order) === low && signed.nonceHigh(order) === high;
      if (isSame && orders.account(order) === account) return place;
    }
    return NONE;
  }

  #nonceTag(account: number, low: number, high: number): number {
    return ownedTagOf(account, low, high, this.settings.placesSeed);
  }

  /** Adds the order to its account's list of open or final orders. */
  link(order: number, list: typeof FIRST_OPEN | typeof FIRST_FINAL): void {
    const { words } = this.orders;
    const account = this.orders.account(order);
    const first = this.accounts.head(account, list);
    words[order * ORDER_WORDS + NEXT_LISTED] = first;
    words[order * ORDER_WORDS + PREVIOUS_LISTED] = NONE;
    if (first !== NONE) words[first * ORDER_WORDS + PREVIOUS_LISTED] = order;
    this.accounts.setHead(account, list, order);
  }

  unlink(order: number, list: typeof FIRST_OPEN | typeof FIRST_FINAL): void {
    const { words } = this.orders;
    const next = words[order * ORDER_WORDS + NEXT_LISTED]!;
    const previous = words[order * ORDER_WORDS + PREVIOUS_LISTED]!;
    if (previous === NONE) this.accounts.setHead(this.orders.account(order), list, next);
    else words[previous * ORDER_WORDS + NEXT_LISTED] = next;
    if (next !== NONE) words[next * ORDER_WORDS + PREVIOUS_LISTED] = previous;
  }

  nextListed(order: number): number {
    return this.orders.words[order * ORDER_WORDS + NEXT_LISTED]!;
  }

  /** Open orders, oldest first. */
  openOrdersOf(market: MarketRecord, account?: number): number[] {
    const open: number[] = [];
    const last = account === undefined ? NONE : this.accounts.next(account);
    for (let each = account ?? market.firstAccount; each !== last && each !== NONE; each = this.accounts.next(each)) {
      for (let order = this.accounts.head(each, FIRST_OPEN); order !== NONE; order = this.nextListed(order)) {
        open.push(order);
      }
    }
    return this.sortBySequence(open);
  }

  sortBySequence(orders: number[]): number[] {
    const slab = this.orders;
    return orders.sort((a, b) => slab.sequence(a) - slab.sequence(b));
  }

  /** Notes a closed market whose remaining orders are cancelled by later steps. */
  noteClosing(market: MarketRecord): void {
    if (market.openCount > 0) this.closing.set(market, undefined);
  }

  /**
   * Remaining orders, oldest first. Nothing is added to a closed market, so they are sorted once. A handle may have
   * been reused for an order elsewhere.
   */
  leftIn(market: MarketRecord): number[] {
    const isLeft = (order: number) =>
      this.orders.isPresent(order) && this.orders.isOpen(order) && this.marketOf(order) === market;
    const left = this.closing.get(market)?.filter(isLeft) ?? this.openOrdersOf(market);
    this.closing.set(market, left);
    return left;
  }

  /** A remembered trade; NONE if there is none. */
  findTrade(market: MarketRecord, tradeId: string): number {
    const count = countOf(market, tradeId);
    if (count === undefined) return NONE;
    return this.trades.find(market.number, count, (trade) => this.marketOf(this.trades.maker(trade)).number);
  }
}
