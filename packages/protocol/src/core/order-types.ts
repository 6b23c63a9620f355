// The order's EIP-712 domain and type, as wallets sign it; no hashing here.
import type { Address } from './ids.ts';

export interface SigningDomain {
  readonly name: string;
  readonly version: string;
  readonly chainId: number;
  readonly verifyingContract: Address;
}

/** The type as wallets see it; names and order are part of the signature. */
export const ORDER_TYPES = {
  Order: [
    { name: 'marketId', type: 'bytes32' },
    { name: 'trader', type: 'address' },
    { name: 'side', type: 'uint8' },
    { name: 'outcome', type: 'uint8' },
    { name: 'price', type: 'uint64' },
    { name: 'size', type: 'uint64' },
    { name: 'nonce', type: 'uint64' },
    { name: 'expiration', type: 'uint64' },
    { name: 'makerFeeRecipient', type: 'address' },
  ],
} as const;
