// Signed and accepted orders as immutable bytes: one record per order, shared by all engines that are copies of one another.
import {
  type OrderAccepted,
  type OrderHash,
  type PermitSignature,
  toHex,
  ZERO_ADDRESS,
} from '@presage/protocol/engine-types';
import { NONE } from '../book/book.ts';
import { grownInt32, pagedCapacityFor } from './grown.ts';
import { HandleTable } from './handle-table.ts';
import { toBigint, toNumber } from './hex-words.ts';
import {
  ADDRESS_BYTES,
  EXPIRATION_WORD,
  HAS_EXTRAS_AT,
  HASH_BYTES,
  HASH_WORDS,
  type Memory,
  NONCE_WORD,
  type OrderExtras,
  RECORD_BYTES,
  RECORD_WORDS,
  SIGNATURE_AT,
  SIGNATURE_BYTES,
  SIZE_NUMBER,
  STEP_NUMBER,
  TERMS_AT,
  TIME_NUMBER,
  TRADER_AT,
  TRADER_WORD,
} from './order-record.ts';
import type { PackedCommands } from './packed-commands.ts';
import { tagOf } from './tags.ts';
import { fromTermsCode } from './term-codes.ts';

const FIRST_CAPACITY = 64;
const RECORD_NUMBERS = RECORD_BYTES / 8;

export class SignedOrders implements Memory {
  words = new Int32Array(FIRST_CAPACITY * RECORD_WORDS);
  bytes = new Uint8Array(this.words.buffer);
  numbers = new Float64Array(this.words.buffer);
  /** Number of engines that remember each order. */
  #keepers = new Int32Array(FIRST_CAPACITY);
  readonly #byHash = new HandleTable();
  readonly #extras = new Map<number, OrderExtras>();
  readonly #seed: number;
  #used = 0;
  #free: number[] = [];
  /** Highest sequence of an order added by any engine. */
  #newest = 0;
  /** Number of readers that need released records unchanged, and the records to reuse once there are none. */
  #readers = 0;
  #waiting: number[] = [];

  constructor(seed: number, ordersAhead = 0) {
    this.#seed = seed;
    this.#reserve(ordersAhead);
    this.#byHash.reserve(ordersAhead);
  }

  /** Upper bound of the handles. */
  get used(): number {
    return this.#used;
  }

  /**
   * Adds a command's order, or shares the equal record of another engine; the caller keeps it until it calls `release`.
   * Copies of an engine give the same order the same sequence, so the first engine to reach a sequence skips the
   * search.
   */
  add(packed: PackedCommands, at: number, sequence: number): number {
    const order = this.#allocate();
    const word = order * RECORD_WORDS;
    copyRecord(packed.words, packed.hashWord(at), this.words, word);
    const extras = packed.extras(at);
    const tag = this.tagOf(this.words, word);
    const same = extras === undefined && sequence <= this.#newest ? this.#findSame(order, tag) : NONE;
    if (same !== NONE) {
      this.#free.push(order);
      this.keep(same);
      return same;
    }
    if (sequence > this.#newest) this.#newest = sequence;
    if (extras !== undefined) this.#extras.set(order, extras);
    this.#byHash.add(tag, order);
    this.#keepers[order] = 1;
    return order;
  }

  keep(order: number): void {
    this.#keepers[order]!++;
  }

  release(order: number): void {
    const left = --this.#keepers[order]!;
    if (left > 0) return;
    this.#byHash.delete(this.tagOf(this.words, order * RECORD_WORDS), order);
    if (this.#readers > 0) this.#waiting.push(order);
    else this.#reuse(order);
  }

  /** The memory of all records below `used`, without copying. Records being read stay in it. */
  image(used: number): Uint8Array {
    return this.bytes.subarray(0, used * RECORD_BYTES);
  }

  /** Restores records from such memory. Only records with `isPresent` are orders; each has one keeper. */
  static ofImage(bytes: Uint8Array, seed: number, isPresent: (order: number) => boolean): SignedOrders {
    const signed = new SignedOrders(seed);
    const used = bytes.length / RECORD_BYTES;
    if (used > 0) signed.#reserve(used - 1);
    signed.bytes.set(bytes);
    signed.#used = used;
    signed.#byHash.reserve(used);
    for (let order = 0; order < used; order++) {
      if (!isPresent(order)) signed.#free.push(order);
      else {
        signed.#byHash.add(signed.tagOf(signed.words, order * RECORD_WORDS), order);
        signed.#keepers[order] = 1;
      }
    }
    return signed;
  }

  /** Parts that few orders have. */
  extras(order: number): OrderExtras | undefined {
    return this.bytes[order * RECORD_BYTES + HAS_EXTRAS_AT] === 0 ? undefined : this.#extras.get(order);
  }

  restoreExtras(order: number, extras: OrderExtras): void {
    this.#extras.set(order, extras);
  }

  /** Until `endReading`, released records are not reused. */
  beginReading(): void {
    this.#readers++;
  }

  endReading(): void {
    this.#readers--;
    if (this.#readers > 0) return;
    for (const order of this.#waiting) this.#reuse(order);
    this.#waiting = [];
  }

  /** Tag of the hash in `words` at `at`. */
  tagOf(words: Int32Array, at: number): number {
    return tagOf(words[at]!, this.#seed);
  }

  /** First place in the index with this tag; `nextPlace` continues from it. */
  firstPlace(tag: number): number {
    return this.#byHash.first(tag);
  }

  nextPlace(place: number, tag: number): number {
    return this.#byHash.next(place, tag);
  }

  orderAt(place: number): number {
    return this.#byHash.handle(place);
  }

  hasHash(order: number, words: Int32Array, at: number): boolean {
    const own = this.words;
    const from = order * RECORD_WORDS;
    for (let word = 0; word < HASH_WORDS; word++) if (own[from + word] !== words[at + word]) return false;
    return true;
  }

  nonceLow(order: number): number {
    return this.words[order * RECORD_WORDS + NONCE_WORD]!;
  }

  nonceHigh(order: number): number {
    return this.words[order * RECORD_WORDS + NONCE_WORD + 1]!;
  }

  expiresMs(order: number): number {
    const at = order * RECORD_WORDS + EXPIRATION_WORD;
    return toNumber(this.words[at]!, this.words[at + 1]!) * 1000;
  }

  size(order: number): number {
    return this.numbers[order * RECORD_NUMBERS + SIZE_NUMBER]!;
  }

  step(order: number): number {
    return this.numbers[order * RECORD_NUMBERS + STEP_NUMBER]!;
  }

  timeMs(order: number): number {
    return this.numbers[order * RECORD_NUMBERS + TIME_NUMBER]!;
  }

  hash(order: number): OrderHash {
    return toHex(this.bytes, order * RECORD_BYTES, order * RECORD_BYTES + HASH_BYTES);
  }

  trader(order: number): OrderAccepted['order']['trader'] {
    const at = order * RECORD_BYTES + TRADER_AT;
    return toHex(this.bytes, at, at + ADDRESS_BYTES);
  }

  /** Index of the record's first word. */
  wordOf(order: number): number {
    return order * RECORD_WORDS;
  }

  /** Index of the first word of the trader's address. */
  traderWord(order: number): number {
    return order * RECORD_WORDS + TRADER_WORD;
  }

  signature(order: number): OrderAccepted['signature'] {
    const from = order * RECORD_BYTES + SIGNATURE_AT;
    return this.extras(order)?.signature ?? toHex(this.bytes, from, from + SIGNATURE_BYTES);
  }

  terms(order: number): OrderAccepted['terms'] {
    const at = order * RECORD_BYTES + TERMS_AT;
    return fromTermsCode(this.bytes[at]! | (this.bytes[at + 1]! << 8));
  }

  permit(order: number): PermitSignature | undefined {
    return this.extras(order)?.permit;
  }

  nonce(order: number): bigint {
    return toBigint(this.nonceLow(order), this.nonceHigh(order));
  }

  expiration(order: number): bigint {
    const at = order * RECORD_WORDS + EXPIRATION_WORD;
    return toBigint(this.words[at]!, this.words[at + 1]!);
  }

  makerFeeRecipient(order: number): OrderAccepted['order']['makerFeeRecipient'] {
    return this.extras(order)?.makerFeeRecipient ?? ZERO_ADDRESS;
  }

  /**
   * Finds the equal record of another engine. Orders with extras are not shared: they are few, and each engine has its
   * own.
   */
  #findSame(order: number, tag: number): number {
    for (let place = this.#byHash.first(tag); place !== NONE; place = this.#byHash.next(place, tag)) {
      const other = this.#byHash.handle(place);
      if (this.#isSame(order, other)) return other;
    }
    return NONE;
  }

  #isSame(one: number, other: number): boolean {
    const words = this.words;
    const [a, b] = [one * RECORD_WORDS, other * RECORD_WORDS];
    for (let word = 0; word < RECORD_WORDS; word++) if (words[a + word] !== words[b + word]) return false;
    return true;
  }

  #allocate(): number {
    const order = this.#free.length > 0 ? this.#free.pop()! : this.#used++;
    this.#reserve(order);
    return order;
  }

  #reserve(order: number): void {
    if (order < this.#keepers.length) return;
    const capacity = pagedCapacityFor(order, this.#keepers.length, RECORD_BYTES);
    this.words = grownInt32(this.words, capacity * RECORD_WORDS);
    this.bytes = new Uint8Array(this.words.buffer);
    this.numbers = new Float64Array(this.words.buffer);
    this.#keepers = grownInt32(this.#keepers, capacity);
  }

  #reuse(order: number): void {
    this.#extras.delete(order);
    this.#free.push(order);
  }
}

function copyRecord(from: Int32Array, start: number, to: Int32Array, word: number): void {
  for (let each = 0; each < RECORD_WORDS; each++) to[word + each] = from[start + each]!;
}
