// Whose nonces a call uses up, where, and how many.
import type { Address } from '@presage/protocol';
import type { NonceUse } from './ports.ts';

type Hex = `0x${string}`;

export function useOf(owner: Hex, contract: Hex, count = 1): NonceUse {
  return { owner: owner.toLowerCase() as Address, contract: contract.toLowerCase() as Address, count };
}
