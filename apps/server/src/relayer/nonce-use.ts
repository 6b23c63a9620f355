// Whose nonces a call uses up, where, and how many.
import type { Address, Hex } from '@presage/protocol';
import type { NonceUse } from './ports.ts';

export function useOf(owner: Hex, contract: Hex, count = 1): NonceUse {
  return { owner: toLowerCase(owner), contract: toLowerCase(contract), count };
}

/** Addresses are compared and kept in lower case; configuration and accounts have them with checksums. */
export function toLowerCase(address: Hex): Address {
  return `0x${address.slice(2).toLowerCase()}` as const;
}

/** Undefined if none of them is known. */
export function highestNonce(nonces: readonly (bigint | undefined)[]): bigint | undefined {
  return nonces.reduce<bigint | undefined>(
    (most, nonce) => (most === undefined || (nonce ?? 0n) > most ? nonce : most),
    undefined,
  );
}
