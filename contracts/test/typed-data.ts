// The typed data that wallets sign, from the one place that writes it, and the address arithmetic of the contract tests.
import { type Address, getContractAddress } from 'viem';

export { ORDER_TYPES as orderTypes } from '../../packages/protocol/src/core/order-types.ts';
export { OPERATION_TYPES as operationTypes } from '../../packages/protocol/src/signing/signed-types.ts';

/** The address of the contract that `deployer` creates with its transaction number `nonce`. */
export function addressAfter(deployer: Address, nonce: number): Address {
  return getContractAddress({ from: deployer, nonce: BigInt(nonce) });
}
