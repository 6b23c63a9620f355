// Which contracts the sandbox needs, with which arguments, and so at which addresses: known before anything is sent.
import { marketAbi, marketFactoryAbi, presageSettlementAbi } from '@presage/contracts';
import {
  conditionalTokensWithPermitBytecode,
  marketBytecode,
  marketFactoryBytecode,
  presageSettlementBytecode,
  testStablecoinBytecode,
} from '@presage/contracts/bytecode';
import { encodeDeployData, type Hex, keccak256, stringToHex } from 'viem';
import { keyOf } from '../chain/sandbox-keys.ts';
import { type Create2Plan, planCreate2 } from './create2.ts';
import { multicall3Bytecode } from './multicall3-bytecode.ts';

export const OPERATOR_ROLE = keccak256(stringToHex('OPERATOR_ROLE'));
export const CREATOR_ROLE = keccak256(stringToHex('CREATOR_ROLE'));

export interface ContractPlanOptions {
  readonly owner: Hex;
  readonly settlementGraceSeconds: number;
  /** In the stablecoin's units of 10^-6. */
  readonly bondAmount: bigint;
}

export interface ContractPlan {
  readonly stablecoin: Create2Plan;
  readonly conditionalTokens: Create2Plan;
  readonly settlement: Create2Plan;
  readonly marketImplementation: Create2Plan;
  readonly marketFactory: Create2Plan;
  readonly multicall: Create2Plan;
}

export interface RoleGrant {
  readonly contract: Hex;
  readonly role: Hex;
  readonly account: Hex;
}

export function planContracts({ owner, settlementGraceSeconds, bondAmount }: ContractPlanOptions): ContractPlan {
  const stablecoin = planCreate2(testStablecoinBytecode);
  const conditionalTokens = planCreate2(conditionalTokensWithPermitBytecode);
  const settlement = planCreate2(
    encodeDeployData({
      abi: presageSettlementAbi,
      bytecode: presageSettlementBytecode,
      args: [owner, stablecoin.address, conditionalTokens.address, BigInt(settlementGraceSeconds)],
    }),
  );
  const marketImplementation = planCreate2(
    encodeDeployData({
      abi: marketAbi,
      bytecode: marketBytecode,
      args: [conditionalTokens.address, stablecoin.address],
    }),
  );
  const marketFactory = planCreate2(
    encodeDeployData({
      abi: marketFactoryAbi,
      bytecode: marketFactoryBytecode,
      args: [owner, marketImplementation.address, settlement.address, bondAmount],
    }),
  );
  return {
    stablecoin,
    conditionalTokens,
    settlement,
    marketImplementation,
    marketFactory,
    multicall: planCreate2(multicall3Bytecode),
  };
}

/** The settler settles; markets are opened by the owner, by the relayer for its users and by the settler's quick markets. */
export function planRoles(plan: ContractPlan): RoleGrant[] {
  const creators = (['owner', 'settler', 'relayer'] as const).map((role) => ({
    contract: plan.marketFactory.address,
    role: CREATOR_ROLE,
    account: keyOf(role).address,
  }));
  return [{ contract: plan.settlement.address, role: OPERATOR_ROLE, account: keyOf('settler').address }, ...creators];
}
