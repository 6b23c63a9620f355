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

export const operationTypes = {
  Permit: [
    { name: 'owner', type: 'address' },
    { name: 'spender', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'nonce', type: 'uint256' },
    { name: 'deadline', type: 'uint256' },
  ],
  SetApprovalForAll: [
    { name: 'owner', type: 'address' },
    { name: 'operator', type: 'address' },
    { name: 'approved', type: 'bool' },
    { name: 'nonce', type: 'uint256' },
    { name: 'deadline', type: 'uint256' },
  ],
  RedeemPositions: [
    { name: 'owner', type: 'address' },
    { name: 'collateralToken', type: 'address' },
    { name: 'parentCollectionId', type: 'bytes32' },
    { name: 'conditionId', type: 'bytes32' },
    { name: 'indexSets', type: 'uint256[]' },
    { name: 'nonce', type: 'uint256' },
    { name: 'deadline', type: 'uint256' },
  ],
  SplitPosition: amountFields(),
  MergePositions: amountFields(),
} as const;

function amountFields() {
  return [
    { name: 'owner', type: 'address' },
    { name: 'collateralToken', type: 'address' },
    { name: 'conditionId', type: 'bytes32' },
    { name: 'amount', type: 'uint256' },
    { name: 'nonce', type: 'uint256' },
    { name: 'deadline', type: 'uint256' },
  ] as const;
}

/** The address of the contract that `deployer` creates with its transaction number `nonce`. */
export function addressAfter(deployer: Address, nonce: number): Address {
  return getContractAddress({ from: deployer, nonce: BigInt(nonce) });
}
