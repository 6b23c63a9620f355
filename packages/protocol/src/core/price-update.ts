// A signed price update of the sandbox's oracle: the signed bytes, their digest, and the payload for the contract.
import { keccak_256 } from '@noble/hashes/sha3';
import { type Hex, toHex, writeHex } from './hex.ts';
import type { Bytes32 } from './ids.ts';

/** One price of one feed. `prevPublishTime` makes it provable that no earlier update falls into the same interval. */
export interface PriceUpdate {
  readonly feedId: Bytes32;
  /** int64, in units of 10^expo. */
  readonly price: bigint;
  /** uint64, in the same units. */
  readonly conf: bigint;
  readonly expo: number;
  /** Unix seconds. */
  readonly publishTime: number;
  readonly prevPublishTime: number;
}

/**
 * Distinguishes an update from anything else that the key might sign: no transaction and no typed data begins with it.
 */
const MAGIC = 0x50505531;
const AT = { feedId: 4, price: 36, conf: 44, expo: 52, publishTime: 56, prevPublishTime: 64 } as const;
const MESSAGE_BYTES = 72;
const SIGNATURE_BYTES = 65;

/** The bytes to sign: `PPU1`, feed id, int64 price, uint64 conf, int32 expo, uint64 publishTime, uint64 prevPublishTime, big-endian. */
export function encodePriceUpdate(update: PriceUpdate): Uint8Array {
  const bytes = new Uint8Array(MESSAGE_BYTES);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, MAGIC);
  writeHex(bytes, AT.feedId, update.feedId);
  view.setBigInt64(AT.price, update.price);
  view.setBigUint64(AT.conf, update.conf);
  view.setInt32(AT.expo, update.expo);
  view.setBigUint64(AT.publishTime, BigInt(update.publishTime));
  view.setBigUint64(AT.prevPublishTime, BigInt(update.prevPublishTime));
  return bytes;
}

/** The digest that the feed's key signs, without a prefix. */
export function hashPriceUpdate(update: PriceUpdate): Bytes32 {
  return toHex(keccak_256(encodePriceUpdate(update)));
}

/** The update followed by its signature (r, s, v of 27 or 28): one element of the oracle's `updateData`. */
export function packPriceUpdate(update: PriceUpdate, signature: Hex): Hex {
  const payload = new Uint8Array(MESSAGE_BYTES + SIGNATURE_BYTES);
  payload.set(encodePriceUpdate(update));
  writeHex(payload, MESSAGE_BYTES, signature);
  return toHex(payload);
}
