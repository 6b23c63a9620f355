// Commands to place and to cancel orders as bytes: the writer parses texts once, and the engine decides without objects.
import {
  CANCEL_REASONS,
  type CancelOrder,
  type CancelReason,
  MAX_PRICE,
  MAX_SIZE,
  MIN_PRICE,
  type Outcome,
  type PlaceOrder,
  type Side,
  type SignedOrder,
  toHex,
  toPrice,
} from '@presage/protocol/engine-types';
import type { BytesReader } from '../bytes/bytes-reader.ts';
import { toNumber } from './hex-words.ts';
import {
  TIME_NUMBER as ACCEPTED_NUMBER,
  ADDRESS_BYTES,
  ADDRESS_WORDS,
  EXPIRATION_WORD,
  HAS_EXTRAS_AT,
  HASH_BYTES,
  HASH_WORDS,
  type Memory,
  NONCE_WORD,
  type OrderExtras,
  putHex,
  RECORD_BYTES,
  SIGNATURE_AT,
  SIGNATURE_BYTES,
  SIGNATURE_WORD,
  SIGNATURE_WORDS,
  SIZE_NUMBER,
  STEP_NUMBER,
  TERMS_AT,
  TRADER_AT,
  TRADER_WORD,
  writeOrderRecord,
  writePair,
} from './order-record.ts';
import { fromTermsCode, readTermsCode } from './term-codes.ts';

/** A command begins with the record of its order; a cancellation fills only the hash and perhaps the trader. */
const COMMAND_BYTES = 224;
const COMMAND_WORDS = COMMAND_BYTES / 4;
const COMMAND_NUMBERS = COMMAND_BYTES / 8;
const MARKET_AT = RECORD_BYTES;
const MARKET_WORD = MARKET_AT / 4;
const KIND_WORD = 48;
const PRICE_WORD = 49;
const TIME_NUMBER = 25;
const REASON_WORD = 52;

/** Flag of an accepted record with terms. */
const HAS_TERMS = 8;

const PLACE = 1;
const CANCEL = 2;
const SIDE = 1 << 8;
const OUTCOME = 1 << 9;
const HAS_TRADER = 1 << 10;

export class PackedCommands implements Memory {
  readonly words: Int32Array;
  readonly numbers: Float64Array;
  readonly bytes: Uint8Array;
  readonly #extras = new Map<number, OrderExtras>();

  constructor(capacity: number) {
    this.words = new Int32Array(capacity * COMMAND_WORDS);
    this.numbers = new Float64Array(this.words.buffer);
    this.bytes = new Uint8Array(this.words.buffer);
  }

  write(at: number, command: PlaceOrder | CancelOrder): void {
    if (command.type === 'place-order') this.writePlace(at, command, command.timeMs);
    else this.#writeCancel(at, command);
  }

  writePlace(at: number, signed: SignedOrder, timeMs: number): void {
    const { marketId, side, outcome, price } = signed.order;
    const extras = writeOrderRecord(this, at * COMMAND_BYTES, signed);
    if (extras !== undefined) this.#extras.set(at, extras);
    else if (this.#extras.size > 0) this.#extras.delete(at);
    putHex(this.bytes, at * COMMAND_BYTES + MARKET_AT, marketId, HASH_BYTES);
    this.words[at * COMMAND_WORDS + KIND_WORD] = PLACE | (side === 0 ? 0 : SIDE) | (outcome === 0 ? 0 : OUTCOME);
    this.words[at * COMMAND_WORDS + PRICE_WORD] = toPrice(price);
    this.numbers[at * COMMAND_NUMBERS + TIME_NUMBER] = timeMs;
  }

  /** Writes only the fields that identify the holder of an order's nonce, which nearly every order needs. */
  writeHolder(at: number, { marketId, trader, nonce }: SignedOrder['order']): void {
    const byte = at * COMMAND_BYTES;
    putHex(this.bytes, byte + MARKET_AT, marketId, HASH_BYTES);
    putHex(this.bytes, byte + TRADER_AT, trader, ADDRESS_BYTES);
    writePair(this.words, at * COMMAND_WORDS + NONCE_WORD, nonce);
  }

  /** Reads the order of an accepted record, after its flags and without extras. Market and time are left out. */
  readAccepted(at: number, reader: BytesReader, flags: number): void {
    const { bytes, words, numbers } = this;
    const byte = at * COMMAND_BYTES;
    const word = at * COMMAND_WORDS;
    if (this.#extras.size > 0) this.#extras.delete(at);
    reader.copyWords(words, word, HASH_WORDS);
    reader.copyWords(words, word + TRADER_WORD, ADDRESS_WORDS);
    words[word + PRICE_WORD] = reader.integer(MIN_PRICE, MAX_PRICE);
    numbers[at * COMMAND_NUMBERS + SIZE_NUMBER] = reader.integer(1, MAX_SIZE);
    reader.pair(words, word + NONCE_WORD);
    reader.pair(words, word + EXPIRATION_WORD);
    reader.copyWords(words, word + SIGNATURE_WORD, SIGNATURE_WORDS);
    bytes[byte + SIGNATURE_AT + 4 * SIGNATURE_WORDS] = reader.byte();
    const code = (flags & HAS_TERMS) === 0 ? 0 : readTermsCode(reader);
    bytes[byte + HAS_EXTRAS_AT] = 0;
    bytes[byte + TERMS_AT] = code;
    bytes[byte + TERMS_AT + 1] = code >> 8;
    words[word + KIND_WORD] = PLACE | ((flags & 1) === 0 ? 0 : SIDE) | ((flags & 2) === 0 ? 0 : OUTCOME);
  }

  #writeCancel(at: number, { marketId, orderHash, trader, reason, timeMs }: CancelOrder): void {
    const byte = at * COMMAND_BYTES;
    putHex(this.bytes, byte, orderHash, HASH_BYTES);
    if (trader !== undefined) putHex(this.bytes, byte + TRADER_AT, trader, ADDRESS_BYTES);
    putHex(this.bytes, byte + MARKET_AT, marketId, HASH_BYTES);
    this.words[at * COMMAND_WORDS + KIND_WORD] = CANCEL | (trader === undefined ? 0 : HAS_TRADER);
    this.words[at * COMMAND_WORDS + REASON_WORD] = CANCEL_REASONS.indexOf(reason);
    this.numbers[at * COMMAND_NUMBERS + TIME_NUMBER] = timeMs;
  }

  /** Sets the step and time of acceptance. */
  stamp(at: number, step: number, timeMs: number): void {
    this.numbers[at * COMMAND_NUMBERS + STEP_NUMBER] = step;
    this.numbers[at * COMMAND_NUMBERS + ACCEPTED_NUMBER] = timeMs;
  }

  isPlace(at: number): boolean {
    return (this.words[at * COMMAND_WORDS + KIND_WORD]! & PLACE) !== 0;
  }

  hasTrader(at: number): boolean {
    return (this.words[at * COMMAND_WORDS + KIND_WORD]! & HAS_TRADER) !== 0;
  }

  timeMs(at: number): number {
    return this.numbers[at * COMMAND_NUMBERS + TIME_NUMBER]!;
  }

  reason(at: number): CancelReason {
    return CANCEL_REASONS[this.words[at * COMMAND_WORDS + REASON_WORD]!]!;
  }

  side(at: number): Side {
    return (this.words[at * COMMAND_WORDS + KIND_WORD]! & SIDE) === 0 ? 0 : 1;
  }

  outcome(at: number): Outcome {
    return (this.words[at * COMMAND_WORDS + KIND_WORD]! & OUTCOME) === 0 ? 0 : 1;
  }

  price(at: number): number {
    return this.words[at * COMMAND_WORDS + PRICE_WORD]!;
  }

  size(at: number): number {
    return this.numbers[at * COMMAND_NUMBERS + SIZE_NUMBER]!;
  }

  nonceLow(at: number): number {
    return this.words[at * COMMAND_WORDS + NONCE_WORD]!;
  }

  nonceHigh(at: number): number {
    return this.words[at * COMMAND_WORDS + NONCE_WORD + 1]!;
  }

  expiresMs(at: number): number {
    const word = at * COMMAND_WORDS + EXPIRATION_WORD;
    return toNumber(this.words[word]!, this.words[word + 1]!) * 1000;
  }

  termsCode(at: number): number {
    const byte = at * COMMAND_BYTES + TERMS_AT;
    return this.bytes[byte]! | (this.bytes[byte + 1]! << 8);
  }

  terms(at: number): SignedOrder['terms'] {
    return fromTermsCode(this.termsCode(at));
  }

  signature(at: number): SignedOrder['signature'] {
    const from = at * COMMAND_BYTES + SIGNATURE_AT;
    return this.extras(at)?.signature ?? toHex(this.bytes, from, from + SIGNATURE_BYTES);
  }

  extras(at: number): OrderExtras | undefined {
    return this.#extras.size === 0 ? undefined : this.#extras.get(at);
  }

  /** Index of the hash among the words. */
  hashWord(at: number): number {
    return at * COMMAND_WORDS;
  }

  traderWord(at: number): number {
    return at * COMMAND_WORDS + TRADER_WORD;
  }

  marketWord(at: number): number {
    return at * COMMAND_WORDS + MARKET_WORD;
  }
}
