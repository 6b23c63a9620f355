// The typed data of contracts.md, written out once for the contract tests, and the address arithmetic they need.
import { type Address, getContractAddress } from 'viem';

export { ORDER_TYPES as orderTypes } from '../../packages/protocol/src/order-types.ts';

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
