// Which Ed25519 public keys are worth checking signatures with.
import { ed25519 } from '@noble/curves/ed25519';

/**
 * Whether the 64 hex digits are a point of the large prime order. For a point of small order anybody can make signatures
 * without a private key, and one with a part of small order has signatures on which programs disagree.
 */
export function isSoundPublicKey(publicKeyHex: string): boolean {
  try {
    const point = ed25519.ExtendedPoint.fromHex(publicKeyHex);
    return !point.isSmallOrder() && point.isTorsionFree();
  } catch {
    return false;
  }
}
