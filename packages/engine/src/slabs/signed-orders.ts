// What was signed and accepted, in bytes that never change: one record an order, shared by all engines that are copies of one another.
import {
  type OrderAccepted,
  type OrderHash,
  type PermitSignature,
  type SignedOrder,
  toHex,
  ZERO_ADDRESS,
} from '@presage/protocol/engine-types';
import { NONE } from '../book/book.ts';
import { capacityFor, grownInt32 } from './grown.ts';
import { HandleTable } from './handle-table.ts';
import { toBigint, toNumber, WordPair, writeHexBytes } from './hex-words.ts';
import { tagOf } from './tags.ts';
import { fromTermsCode, toTermsCode } from './term-codes.ts';

const FIRST_CAPACITY = 64;

/** Bytes of a record, and where its fields begin. */
const RECORD_BYTES = 160;
const RECORD_WORDS = RECORD_BYTES / 4;
const RECORD_NUMBERS = RECORD_BYTES / 8;
const HASH_BYTES = 32;
const HASH_WORDS = HASH_BYTES / 4;
const SIGNATURE = 32;
const SIGNATURE_BYTES = 65;
/** 1 where the order has extras. */
const HAS_EXTRAS = 97;
/** Of two bytes. */
const TERMS = 98;
const TRADER = 100;
const ADDRESS_BYTES = 20;
const NONCE_WORD = 30;
const EXPIRATION_WORD = 32;
const SIZE_NUMBER = 17;
const STEP_NUMBER = 18;
const TIME_NUMBER = 19;

/** What few orders have: a fee recipient, a permit, the longer signature of a contract wallet. */
interface Extras {
  readonly makerFeeRecipient: OrderAccepted['order']['makerFeeRecipient'];
  readonly signature: OrderAccepted['signature'];
  readonly permit: PermitSignature | undefined;
}

export class SignedOrders {
  words = new Int32Array(FIRST_CAPACITY * RECORD_WORDS);
  bytes = new Uint8Array(this.words.buffer);
  #numbers = new Float64Array(this.words.buffer);
  /** How many engines remember the order. */
  #keepers = new Int32Array(FIRST_CAPACITY);
  readonly #byHash = new HandleTable();
  readonly #extras = new Map<number, Extras>();
  readonly #pair = new WordPair();
  readonly #seed: number;
  #used = 0;
  #free: number[] = [];
  /** Those who read records that may have been given up meanwhile, and what waits for them to end. */
  #readers = 0;
  #waiting: number[] = [];

  constructor(seed: number) {
    this.#seed = seed;
  }

  /** Handles are below it. */
  get used(): number {
    return this.#used;
  }

  /** A record of the order, of another engine if there is one already; the caller keeps it until it releases it. */
  add(signed: SignedOrder, step: number, timeMs: number): number {
    const order = this.#allocate();
    this.#write(order, signed, step, timeMs);
    const tag = this.tagOf(this.words, order * RECORD_WORDS);
    const same = this.#findSame(order, tag);
    if (same !== NONE) {
      this.#free.push(order);
      this.keep(same);
      return same;
    }
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

  /** Until `endReading`, records stay as they are even if nobody keeps them any more. */
  beginReading(): void {
    this.#readers++;
  }

  endReading(): void {
    this.#readers--;
    if (this.#readers > 0) return;
    for (const order of this.#waiting) this.#reuse(order);
    this.#waiting = [];
  }

  /** Of a hash that stands in `words` at `at`. */
  tagOf(words: Int32Array, at: number): number {
    return tagOf(words[at]!, this.#seed);
  }

  /** The first place of the index with this tag, or the next one. */
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
    return this.#numbers[order * RECORD_NUMBERS + SIZE_NUMBER]!;
  }

  step(order: number): number {
    return this.#numbers[order * RECORD_NUMBERS + STEP_NUMBER]!;
  }

  timeMs(order: number): number {
    return this.#numbers[order * RECORD_NUMBERS + TIME_NUMBER]!;
  }

  hash(order: number): OrderHash {
    return toHex(this.bytes, order * RECORD_BYTES, order * RECORD_BYTES + HASH_BYTES);
  }

  trader(order: number): OrderAccepted['order']['trader'] {
    const at = order * RECORD_BYTES + TRADER;
    return toHex(this.bytes, at, at + ADDRESS_BYTES);
  }

  /** Where the trader's address begins among the words. */
  traderWord(order: number): number {
    return order * RECORD_WORDS + TRADER / 4;
  }

  signature(order: number): OrderAccepted['signature'] {
    const from = order * RECORD_BYTES + SIGNATURE;
    return this.#extrasOf(order)?.signature ?? toHex(this.bytes, from, from + SIGNATURE_BYTES);
  }

  terms(order: number): OrderAccepted['terms'] {
    const at = order * RECORD_BYTES + TERMS;
    return fromTermsCode(this.bytes[at]! | (this.bytes[at + 1]! << 8));
  }

  permit(order: number): PermitSignature | undefined {
    return this.#extrasOf(order)?.permit;
  }

  nonce(order: number): bigint {
    return toBigint(this.nonceLow(order), this.nonceHigh(order));
  }

  expiration(order: number): bigint {
    const at = order * RECORD_WORDS + EXPIRATION_WORD;
    return toBigint(this.words[at]!, this.words[at + 1]!);
  }

  makerFeeRecipient(order: number): OrderAccepted['order']['makerFeeRecipient'] {
    return this.#extrasOf(order)?.makerFeeRecipient ?? ZERO_ADDRESS;
  }

  #extrasOf(order: number): Extras | undefined {
    return this.bytes[order * RECORD_BYTES + HAS_EXTRAS] === 0 ? undefined : this.#extras.get(order);
  }

  #write(
    order: number,
    { orderHash, order: fields, signature, terms, permit }: SignedOrder,
    step: number,
    timeMs: number,
  ): void {
    const { bytes, words } = this;
    const at = order * RECORD_BYTES;
    const isLong = signature.length !== 2 + 2 * SIGNATURE_BYTES;
    const { makerFeeRecipient } = fields;
    const hasExtras = isLong || permit !== undefined || makerFeeRecipient !== ZERO_ADDRESS;
    putHex(bytes, at, orderHash, HASH_BYTES);
    if (isLong) bytes.fill(0, at + SIGNATURE, at + SIGNATURE + SIGNATURE_BYTES);
    else putHex(bytes, at + SIGNATURE, signature, SIGNATURE_BYTES);
    bytes[at + HAS_EXTRAS] = hasExtras ? 1 : 0;
    const code = toTermsCode(terms);
    bytes[at + TERMS] = code;
    bytes[at + TERMS + 1] = code >> 8;
    putHex(bytes, at + TRADER, fields.trader, ADDRESS_BYTES);
    this.#writePair(words, order * RECORD_WORDS + NONCE_WORD, fields.nonce);
    this.#writePair(words, order * RECORD_WORDS + EXPIRATION_WORD, fields.expiration);
    this.#numbers[order * RECORD_NUMBERS + SIZE_NUMBER] = fields.size;
    this.#numbers[order * RECORD_NUMBERS + STEP_NUMBER] = step;
    this.#numbers[order * RECORD_NUMBERS + TIME_NUMBER] = timeMs;
    if (hasExtras) this.#extras.set(order, { makerFeeRecipient, signature, permit });
  }

  #writePair(words: Int32Array, at: number, value: bigint): void {
    this.#pair.read(value);
    words[at] = this.#pair.low;
    words[at + 1] = this.#pair.high;
  }

  /** Orders with extras are few: each engine has its own record of them. */
  #findSame(order: number, tag: number): number {
    if (this.bytes[order * RECORD_BYTES + HAS_EXTRAS] !== 0) return NONE;
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
    const order = this.#free.pop() ?? this.#used++;
    if (order < this.#keepers.length) return order;
    const capacity = capacityFor(order, this.#keepers.length);
    this.words = grownInt32(this.words, capacity * RECORD_WORDS);
    this.bytes = new Uint8Array(this.words.buffer);
    this.#numbers = new Float64Array(this.words.buffer);
    this.#keepers = grownInt32(this.#keepers, capacity);
    return order;
  }

  #reuse(order: number): void {
    this.#extras.delete(order);
    this.#free.push(order);
  }
}

function putHex(target: Uint8Array, at: number, hex: string, length: number): void {
  if (!writeHexBytes(target, at, hex, length)) throw new RangeError(`${hex} is not ${length} bytes of lower-case hex`);
}
