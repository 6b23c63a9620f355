// An order's signature as it is submitted and as it is kept: 65 bytes of a key, or any length of a contract wallet.
import { asHex, fromHex, type Hex, toHex, toLowerHex } from '../core/hex.ts';
import { LIMITS } from '../core/limits.ts';

export interface RecoverableSignature {
  /** r and s, 64 bytes. */
  readonly compact: Uint8Array;
  readonly recoveryId: 0 | 1;
}

/** Both letter cases are listed: a pattern that ignores case is many times slower. */
const HEX = /^(?:0[xX])?[0-9a-fA-F]*$/;
const KEY_DIGITS = LIMITS.orderSignatureBytes * 2;
const WALLET_DIGITS = LIMITS.walletSignatureBytes * 2;

/** n/2 of secp256k1: a higher s is the malleable twin that the contract refuses. */
const HALF_ORDER = fromHex('0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0');

/** Returns undefined unless the text is 65 bytes of hex, with or without `0x`. */
export function parseSignatureBytes(text: string): Uint8Array | undefined {
  const bytes = parseAnySignature(text);
  return bytes?.length === LIMITS.orderSignatureBytes ? bytes : undefined;
}

/** Parses the signature of a key, or the longer one of a contract wallet. */
export function parseAnySignature(text: string): Uint8Array | undefined {
  return isSignature(text) ? fromHex(isPrefixed(text) ? text : `0x${text}`) : undefined;
}

/** Whether the text is hex of a length that a signature may have. */
export function isSignature(text: string): boolean {
  const digits = isPrefixed(text) ? text.length - 2 : text.length;
  return digits >= KEY_DIGITS && digits <= WALLET_DIGITS && digits % 2 === 0 && HEX.test(text);
}

function isPrefixed(text: string): boolean {
  return text.startsWith('0x') || text.startsWith('0X');
}

/** Suffix of every kept signature of a contract wallet, so that one of 65 bytes cannot be mistaken for a key's. */
const WALLET_MARK = '77';

export function markWalletSignature(bytes: Uint8Array): Hex {
  return `${toHex(bytes)}${WALLET_MARK}`;
}

/** The bytes to pass to the contract wallet; undefined for a key's signature. */
export function unmarkWalletSignature(kept: Hex): Hex | undefined {
  return kept.length === 2 + KEY_DIGITS ? undefined : asHex(kept.slice(0, -WALLET_MARK.length));
}

/**
 * Returns undefined if v is none of 27, 28, 0, 1 or s is high: no signer can be recovered from it, here or on chain.
 */
export function toRecoverable(bytes: Uint8Array): RecoverableSignature | undefined {
  const v = bytes[64]!;
  const recoveryId = v >= 27 ? v - 27 : v;
  if (recoveryId !== 0 && recoveryId !== 1) return undefined;
  const compact = bytes.subarray(0, 64);
  return isLowS(compact) ? { compact, recoveryId } : undefined;
}

/** The one spelling of a signature: `0x`, lower case, v 27 or 28. Nearly all arrive in it and are not rewritten. */
export function normaliseSignature(text: string, bytes: Uint8Array): Hex {
  if (bytes[64]! >= 27 && text.startsWith('0x')) return toLowerHex(text);
  const normal = bytes.slice();
  if (normal[64]! < 27) normal[64]! += 27;
  return toHex(normal);
}

function isLowS(compact: Uint8Array): boolean {
  for (let i = 0; i < 32; i++) {
    const difference = compact[32 + i]! - HALF_ORDER[i]!;
    if (difference !== 0) return difference < 0;
  }
  return true;
}
