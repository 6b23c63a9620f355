// The byte layout of a signed order, in the slab that keeps it and in a command that brings it.
import {
  type OrderAccepted,
  type PermitSignature,
  type SignedOrder,
  toSize,
  ZERO_ADDRESS,
} from '@presage/protocol/engine-types';
import { WordPair, writeHexBytes } from './hex-words.ts';
import { toTermsCode } from './term-codes.ts';

/** Fields are aligned to their size, from a start that is aligned to eight bytes. */
export const RECORD_BYTES = 160;
export const RECORD_WORDS = RECORD_BYTES / 4;
export const HASH_BYTES = 32;
export const HASH_WORDS = HASH_BYTES / 4;
export const SIGNATURE_AT = 32;
export const SIGNATURE_BYTES = 65;
export const SIGNATURE_WORD = SIGNATURE_AT / 4;
/** Whole words of the signature; one byte remains after them. */
export const SIGNATURE_WORDS = 16;
/** 1 if the order has extras. */
export const HAS_EXTRAS_AT = 97;
/** A code of two bytes. */
export const TERMS_AT = 98;
export const TRADER_AT = 100;
export const TRADER_WORD = TRADER_AT / 4;
export const ADDRESS_BYTES = 20;
export const ADDRESS_WORDS = ADDRESS_BYTES / 4;
export const NONCE_WORD = 30;
export const EXPIRATION_WORD = 32;
export const SIZE_NUMBER = 17;
export const STEP_NUMBER = 18;
export const TIME_NUMBER = 19;

/** Parts that few orders have: a fee recipient, a permit, the longer signature of a contract wallet. */
export interface OrderExtras {
  readonly makerFeeRecipient: OrderAccepted['order']['makerFeeRecipient'];
  readonly signature: OrderAccepted['signature'];
  readonly permit: PermitSignature | undefined;
}

/** One buffer with three views. */
export interface Memory {
  readonly words: Int32Array;
  readonly numbers: Float64Array;
  readonly bytes: Uint8Array;
}

const pair = new WordPair();

/** Writes everything but step and time at a byte of the memory; returns the order's extras, if any. */
export function writeOrderRecord(memory: Memory, at: number, signed: SignedOrder): OrderExtras | undefined {
  const { bytes, words, numbers } = memory;
  const { order, signature, permit } = signed;
  const { makerFeeRecipient } = order;
  const isLong = signature.length !== 2 + 2 * SIGNATURE_BYTES;
  const hasExtras = isLong || permit !== undefined || makerFeeRecipient !== ZERO_ADDRESS;
  putHex(bytes, at, signed.orderHash, HASH_BYTES);
  if (isLong) bytes.fill(0, at + SIGNATURE_AT, at + SIGNATURE_AT + SIGNATURE_BYTES);
  else putHex(bytes, at + SIGNATURE_AT, signature, SIGNATURE_BYTES);
  bytes[at + HAS_EXTRAS_AT] = hasExtras ? 1 : 0;
  const code = toTermsCode(signed.terms);
  bytes[at + TERMS_AT] = code;
  bytes[at + TERMS_AT + 1] = code >> 8;
  putHex(bytes, at + TRADER_AT, order.trader, ADDRESS_BYTES);
  writePair(words, at / 4 + NONCE_WORD, order.nonce);
  writePair(words, at / 4 + EXPIRATION_WORD, order.expiration);
  numbers[at / 8 + SIZE_NUMBER] = toSize(order.size);
  return hasExtras ? { makerFeeRecipient, signature, permit } : undefined;
}

export function writePair(words: Int32Array, at: number, value: bigint): void {
  pair.read(value);
  words[at] = pair.low;
  words[at + 1] = pair.high;
}

export function putHex(target: Uint8Array, at: number, hex: string, length: number): void {
  if (!writeHexBytes(target, at, hex, length)) throw new RangeError(`${hex} is not ${length} bytes of lower-case hex`);
}
