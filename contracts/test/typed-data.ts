// The typed data of spec.md and contracts.md, written out once for the contract tests, and the address arithmetic they need.
import { type Address, getContractAddress } from 'viem';

export const orderTypes = {
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

/** The address of the contract that `deployer` creates with its transaction number `nonce`. */
export function addressAfter(deployer: Address, nonce: number): Address {
  return getContractAddress({ from: deployer, nonce: BigInt(nonce) });
}
