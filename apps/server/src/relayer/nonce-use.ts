// Whose nonces a call uses up, where, and how many.
import { type Hex, toLowerHex } from '@presage/protocol';
import type { NonceUse } from './ports.ts';

export function useOf(owner: Hex, contract: Hex, count = 1): NonceUse {
  return { owner: toLowerHex(owner), contract: toLowerHex(contract), count };
}

/** Undefined if none of them is known. */
export function highestNonce(nonces: readonly (bigint | undefined)[]): bigint | undefined {
  return nonces.reduce<bigint | undefined>(
    (most, nonce) => (most === undefined || (nonce ?? 0n) > most ? nonce : most),
    undefined,
  );
}
