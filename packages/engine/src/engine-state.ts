// Everything the engine's decisions depend on, and the few operations that keep its parts consistent.
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
  /** Closed markets whose orders have not all left the book yet; the orders by sequence once somebody asked for them. */
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
  /** Taken off the heap while still on a book: a tick will remove them. */
  expiredOpen = new Set<number>();
  /** Orders that may be dropped with the next step. */
  ended: number[] = [];
  /** The last order accepted, which most trades are of; NONE once it was dropped. */
  newest = NONE;
  /** The last order accepted while it is not on the book: most of what trades at once never needs to be. */
  pending = NONE;
  restingCount = 0;
  rememberedCount = 0;
  /** Sequence of the last accepted order: time priority over the whole partition. */
  sequence = 0;
  /** Time of the last event. */
  timeMs = 0;
  /** The last event's place in the journal. */
  seq = 0;
  readonly draft = new Draft();
  /** Set while a batch is on trial. */
  ahead: TakenAhead | undefined = undefined;
  /** Room for one command that came as an object, or one order of an event. */
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

  /** Empty books over another slab of orders. */
  useOrders(orders: OrderSlab): void {
    this.orders = orders;
    this.#books = createBookPools(orders);
  }

  /** Orders and books as those of another state. Its markets must be here. */
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

  /** NONE if it is not remembered. */
  findOrder(hash: OrderHash): number {
    return this.#hash.read(hash) ? this.findOrderAt(this.#hash.words, 0) : NONE;
  }

  /** The order whose hash stands in `words` at `at`. */
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

  /** Whether the order, if there is one, has this hash. */
  isOrder(order: number, hash: OrderHash): boolean {
    return order !== NONE && this.#hash.read(hash) && this.signed.hasHash(order, this.#hash.words, 0);
  }

  marketOf(order: number): MarketRecord {
    return this.markets.at(this.accounts.market(this.orders.account(order)));
  }

  /** What is on the book of an open order between steps; of a final one, what was never filled. */
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

  /** The account of the wallet whose address stands in `words` at `at`. */
  accountFor(market: MarketRecord, words: Int32Array, at: number): number {
    const known = this.accounts.find(market.number, words, at);
    if (known !== NONE) return known;
    const account = this.accounts.add(market.number, words, at, market.firstAccount);
    market.firstAccount = account;
    market.accountCount++;
    return account;
  }

  /** An account without orders and without spent nonces is as good as none. */
  removeAccount(market: MarketRecord, account: number): void {
    market.firstAccount = this.accounts.remove(account) ?? market.firstAccount;
    market.accountCount--;
  }

  /** The order that holds a nonce, or NONE. Most wallets count upward, and what is above all others is not looked for. */
  holderOf(account: number, low: number, high: number): number {
    if (toNumber(low, high) > this.accounts.highestNonce(account)) return NONE;
    const place = this.#holderPlace(account, low, high);
    return place === NONE ? NONE : this.nonces.handle(place);
  }

  /** It takes the nonce over from an order that may hold it. */
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

  /** The same where orders come in any order. */
  holdNonceIfNewest(order: number): void {
    const account = this.orders.account(order);
    const low = this.signed.nonceLow(order);
    const high = this.signed.nonceHigh(order);
    const place = this.#holderPlace(account, low, high);
    if (place === NONE) this.nonces.add(this.#nonceTag(account, low, high), order);
    else if (this.orders.sequence(this.nonces.handle(place)) < this.orders.sequence(order))
      this.nonces.replace(place, order);
  }

  /** Nothing happens where another order holds it by now. */
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

  /** Into the list of its account's open or final orders. */
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

  /** Oldest first. */
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

  /** A market that is closed has orders left only until the steps that follow have cancelled them. */
  noteClosing(market: MarketRecord): void {
    if (market.openCount > 0) this.closing.set(market, undefined);
  }

  /** Oldest first; of a closed market nothing is ever added, so that they are sorted once. A handle may mean an order elsewhere by now. */
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
