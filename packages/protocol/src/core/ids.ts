// Addresses, 32-byte ids and transaction hashes, kept in lower case inside.
import { keccak_256 } from '@noble/hashes/sha3';
import type { Hex } from './hex.ts';

declare const id: unique symbol;

/** `0x` and 40 lower-case hex digits. The checksum form exists only at the wire. */
export type Address = `0x${string}` & { readonly [id]?: 'address' };
/** `0x` and 64 lower-case hex digits. */
export type Bytes32 = `0x${string}` & { readonly [id]?: 'bytes32' };
export type MarketId = Bytes32;
export type OrderHash = Bytes32;
export type TransactionHash = Bytes32;

export const ZERO_ADDRESS: Address = '0x0000000000000000000000000000000000000000';

const ADDRESS = /^0x[0-9a-f]{40}$/i;
const BYTES32 = /^0x[0-9a-f]{64}$/i;

function isAddress(text: unknown): text is Address {
  return typeof text === 'string' && text.length === 42 && ADDRESS.test(text);
}

export function isBytes32(text: unknown): text is Bytes32 {
  return typeof text === 'string' && text.length === 66 && BYTES32.test(text);
}

// Lower case preserves what `isAddress` and `isBytes32` have checked.
export function parseAddress(text: unknown): Address | undefined {
  return isAddress(text) ? (text.toLowerCase() as Address) : undefined;
}

export function parseBytes32(text: unknown): Bytes32 | undefined {
  return isBytes32(text) ? (text.toLowerCase() as Bytes32) : undefined;
}

/**
 * Cache of checksum addresses: each costs a hash and the same wallets recur. When it is full, the oldest half is
 * evicted.
 */
const checksums = new Map<string, Address>();
const CHECKSUMS_KEPT = 20_000;

/** EIP-55 form, as every answer shows addresses. */
export function toChecksumAddress(address: Address): Address {
  const lower = address.toLowerCase();
  const known = checksums.get(lower);
  if (known !== undefined) return known;
  const sum = checksumOf(lower);
  if (checksums.size >= CHECKSUMS_KEPT) forgetOldHalf();
  checksums.set(lower, sum);
  return sum;
}

function checksumOf(lower: string): Hex {
  const digest = keccak_256(lower.slice(2));
  let digits = '';
  for (let i = 0; i < 40; i++) {
    const nibble = (digest[i >> 1]! >> (i % 2 === 0 ? 4 : 0)) & 15;
    const char = lower[i + 2]!;
    digits += nibble >= 8 ? char.toUpperCase() : char;
  }
  return `0x${digits}`;
}

function forgetOldHalf(): void {
  let left = CHECKSUMS_KEPT / 2;
  for (const key of checksums.keys()) {
    if (left-- === 0) return;
    checksums.delete(key);
  }
}

/** The hash function of Ethereum. */
export function keccak(bytes: Uint8Array): Uint8Array {
  return keccak_256(bytes);
}
