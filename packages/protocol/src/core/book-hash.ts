// The hash of a book: a sum over its levels, so that one changed level changes it in constant time.
import { sha256 } from '@noble/hashes/sha2';
import type { Outcome, Side } from './order.ts';

/** First 8 bytes, big-endian, of SHA-256 of `outcome:side:price:size`. An absent level counts 0. */
export function levelHash(outcome: Outcome, side: Side, price: number, size: number | bigint): bigint {
  if (size === 0 || size === 0n) return 0n;
  const digest = sha256(`${outcome}:${side}:${price}:${size}`);
  return new DataView(digest.buffer, digest.byteOffset, 8).getBigUint64(0);
}

export function addHash(sum: bigint, part: bigint): bigint {
  return BigInt.asUintN(64, sum + part);
}

export function subtractHash(sum: bigint, part: bigint): bigint {
  return BigInt.asUintN(64, sum - part);
}

export function formatHash(sum: bigint): string {
  return sum.toString(16).padStart(16, '0');
}

export interface HashedLevel {
  readonly price: number;
  readonly size: number | bigint;
}

/**
 * Reference implementation, written to be obviously correct; tests compare the incremental hash of the books with it.
 */
export function hashLevels(outcome: Outcome, bids: Iterable<HashedLevel>, asks: Iterable<HashedLevel>): bigint {
  let sum = 0n;
  for (const level of bids) sum = addHash(sum, levelHash(outcome, 0, level.price, level.size));
  for (const level of asks) sum = addHash(sum, levelHash(outcome, 1, level.price, level.size));
  return sum;
}
