// Rejects Ed25519 public keys whose signatures prove nothing.
import { ed25519 } from '@noble/curves/ed25519';

/**
 * Whether the 64 hex digits are a point of the large prime order. For a point of small order anybody can make
 * signatures without a private key; one with a part of small order has signatures on which programs disagree.
 */
export function isSoundPublicKey(publicKeyHex: string): boolean {
  try {
    const point = ed25519.ExtendedPoint.fromHex(publicKeyHex);
    return !point.isSmallOrder() && point.isTorsionFree();
  } catch {
    return false;
  }
}
