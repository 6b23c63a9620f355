// Wallets in markets: nonces are unique per (trader, market), as on chain.
import { type Address, toHex } from '@presage/protocol/engine-types';
import { NONE } from '../book/book.ts';
import { grownInt32, toBytes } from './grown.ts';
import { HandleTable } from './handle-table.ts';
import type { NonceSet } from './nonce-set.ts';
import { ownedTagOf } from './tags.ts';

const FIRST_CAPACITY = 32;
export const ACCOUNT_WORDS = 16;
const ADDRESS_BYTES = 20;
const ADDRESS_WORDS = 5;
const MARKET = 5;
/** Heads of its lists of orders. */
export const FIRST_OPEN = 6;
export const FIRST_FINAL = 7;
/** Number of remembered orders. */
const ORDERS = 8;
/** Neighbours among the accounts of the market. */
const NEXT = 9;
const PREVIOUS = 10;
/** Index of a number, which takes two words. */
const HIGHEST_NONCE = 6;

export class AccountSlab {
  #words = new Int32Array(FIRST_CAPACITY * ACCOUNT_WORDS);
  #numbers = new Float64Array(this.#words.buffer);
  #bytes = new Uint8Array(this.#words.buffer);
  #table = new HandleTable();
  #used = 0;
  #free: number[] = [];
  /** Cache of addresses as text: wallets are few and recur. */
  #traders: (Address | undefined)[] = [];
  /** Nonces of dropped orders that traded: the chain keeps the filled amount under them. */
  #spent: (NonceSet | undefined)[] = [];
  readonly #seed: number;

  constructor(seed: number) {
    this.#seed = seed;
  }

  /** The account of the wallet whose address is in `words` at `at`; NONE if it is unknown. */
  find(market: number, words: Int32Array, at: number): number {
    const own = this.#words;
    const tag = this.#tagOf(market, words, at);
    for (let place = this.#table.first(tag); place !== NONE; place = this.#table.next(place, tag)) {
      const account = this.#table.handle(place);
      const from = account * ACCOUNT_WORDS;
      if (own[from + MARKET] === market && isSame(own, from, words, at)) return account;
    }
    return NONE;
  }

  /** `firstOfMarket` becomes its neighbour. */
  add(market: number, words: Int32Array, at: number, firstOfMarket: number): number {
    const account = this.#free.pop() ?? this.#used++;
    if (account * ACCOUNT_WORDS >= this.#words.length) this.#use(grownInt32(this.#words, this.#words.length * 2));
    const own = this.#words;
    const from = account * ACCOUNT_WORDS;
    for (let word = 0; word < ADDRESS_WORDS; word++) own[from + word] = words[at + word]!;
    own[from + MARKET] = market;
    own[from + FIRST_OPEN] = NONE;
    own[from + FIRST_FINAL] = NONE;
    own[from + ORDERS] = 0;
    own[from + NEXT] = firstOfMarket;
    own[from + PREVIOUS] = NONE;
    if (firstOfMarket !== NONE) own[firstOfMarket * ACCOUNT_WORDS + PREVIOUS] = account;
    this.#numbers[account * (ACCOUNT_WORDS / 2) + HIGHEST_NONCE] = -1;
    this.#table.add(this.#tagOf(market, words, at), account);
    return account;
  }

  /**
   * Returns the next account if this one was the first of its market, which then has a new first; otherwise undefined.
   */
  remove(account: number): number | undefined {
    const own = this.#words;
    const from = account * ACCOUNT_WORDS;
    this.#table.delete(this.#tagOf(own[from + MARKET]!, own, from), account);
    const next = own[from + NEXT]!;
    const previous = own[from + PREVIOUS]!;
    if (next !== NONE) own[next * ACCOUNT_WORDS + PREVIOUS] = previous;
    if (previous !== NONE) own[previous * ACCOUNT_WORDS + NEXT] = next;
    this.#traders[account] = undefined;
    this.#spent[account] = undefined;
    this.#free.push(account);
    return previous === NONE ? next : undefined;
  }

  market(account: number): number {
    return this.#words[account * ACCOUNT_WORDS + MARKET]!;
  }

  /** The next account of the same market. */
  next(account: number): number {
    return this.#words[account * ACCOUNT_WORDS + NEXT]!;
  }

  /** First order in one of its two lists. */
  head(account: number, list: typeof FIRST_OPEN | typeof FIRST_FINAL): number {
    return this.#words[account * ACCOUNT_WORDS + list]!;
  }

  setHead(account: number, list: typeof FIRST_OPEN | typeof FIRST_FINAL, order: number): void {
    this.#words[account * ACCOUNT_WORDS + list] = order;
  }

  orders(account: number): number {
    return this.#words[account * ACCOUNT_WORDS + ORDERS]!;
  }

  countOrder(account: number, more: 1 | -1): void {
    this.#words[account * ACCOUNT_WORDS + ORDERS]! += more;
  }

  /** Highest nonce ever remembered here. Past 2^53 it is rounded, like the values it is compared with. */
  highestNonce(account: number): number {
    return this.#numbers[account * (ACCOUNT_WORDS / 2) + HIGHEST_NONCE]!;
  }

  noteNonce(account: number, nonce: number): void {
    if (nonce > this.highestNonce(account)) this.#numbers[account * (ACCOUNT_WORDS / 2) + HIGHEST_NONCE] = nonce;
  }

  spent(account: number): NonceSet | undefined {
    return this.#spent[account];
  }

  setSpent(account: number, spent: NonceSet | undefined): void {
    this.#spent[account] = spent;
  }

  trader(account: number): Address {
    const known = this.#traders[account];
    if (known !== undefined) return known;
    const from = account * ACCOUNT_WORDS * 4;
    const trader = toHex(this.#bytes, from, from + ADDRESS_BYTES);
    this.#traders[account] = trader;
    return trader;
  }

  copy(): AccountSlab {
    const copy = new AccountSlab(this.#seed);
    copy.#use(this.#words.slice());
    copy.#table = this.#table.copy();
    copy.#used = this.#used;
    copy.#free = this.#free.slice();
    copy.#traders = this.#traders.slice();
    copy.#spent = this.#spent.map((spent) => spent?.copy());
    return copy;
  }

  /** The memory of all accounts, and the free handles, at this moment. Names and spent nonces are not part of it. */
  takeImage(): Uint8Array[] {
    return [this.#words.slice(0, this.#used * ACCOUNT_WORDS), Int32Array.from(this.#free)].map((words) =>
      toBytes(words, words.length),
    );
  }

  /** Restores the slab from an image. */
  static ofImage(words: Int32Array<ArrayBuffer>, free: Int32Array, seed: number): AccountSlab {
    const slab = new AccountSlab(seed);
    const used = words.length / ACCOUNT_WORDS;
    slab.#use(grownInt32(words, Math.max(words.length, slab.#words.length)));
    slab.#used = used;
    slab.#free = [...free];
    const isFree = new Set(free);
    for (let account = 0; account < used; account++) {
      if (isFree.has(account)) continue;
      slab.#table.add(slab.#tagOf(slab.market(account), slab.#words, account * ACCOUNT_WORDS), account);
    }
    return slab;
  }

  /** The market of every account at this moment. */
  markets(): Int32Array {
    return Int32Array.from({ length: this.#used }, (_, account) => this.market(account));
  }

  #tagOf(market: number, words: Int32Array, at: number): number {
    return ownedTagOf(market, words[at]! ^ words[at + 3]!, words[at + 4]!, this.#seed);
  }

  #use(words: Int32Array<ArrayBuffer>): void {
    this.#words = words;
    this.#numbers = new Float64Array(words.buffer);
    this.#bytes = new Uint8Array(words.buffer);
  }
}

function isSame(one: Int32Array, from: number, other: Int32Array, at: number): boolean {
  for (let word = 0; word < ADDRESS_WORDS; word++) if (one[from + word] !== other[at + word]) return false;
  return true;
}
