// The nonces that a call uses up: of which owner, at which contract, and how many.
import { type Hex, toLowerHex } from '@presage/protocol';
import type { NonceUse } from './ports.ts';

export function useOf(owner: Hex, contract: Hex, count = 1): NonceUse {
  return { owner: toLowerHex(owner), contract: toLowerHex(contract), count };
}

/** Highest known nonce; undefined if none is known. */
export function highestNonce(nonces: readonly (bigint | undefined)[]): bigint | undefined {
  return nonces.reduce<bigint | undefined>(
    (most, nonce) => (most === undefined || (nonce ?? 0n) > most ? nonce : most),
    undefined,
  );
}
