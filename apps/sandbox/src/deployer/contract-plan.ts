// Which contracts the sandbox needs, with which arguments, and so at which addresses: known before anything is sent.
import {
  marketAbi,
  marketFactoryAbi,
  optimisticOracleAbi,
  presageSettlementAbi,
  priceOracleAbi,
  quickMarketAbi,
  quickMarketFactoryAbi,
} from '@presage/contracts';
import {
  conditionalTokensWithPermitBytecode,
  journalAnchorsBytecode,
  marketBytecode,
  marketFactoryBytecode,
  optimisticOracleBytecode,
  presageSettlementBytecode,
  priceOracleBytecode,
  quickMarketBytecode,
  quickMarketFactoryBytecode,
  testStablecoinBytecode,
} from '@presage/contracts/bytecode';
import type { Hex } from '@presage/protocol';
import { encodeDeployData, keccak256, stringToHex } from 'viem';
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
  /** Other addresses for another one. The ids of markets follow from them: two chains of one service must not share any. */
  readonly salt: bigint;
}

/** No assertion is free, whatever bond a market agrees on; in the stablecoin's units of 10^-6. */
const MINIMUM_BOND = 1_000_000n;
/** Thirty days without a result, and anyone may void a market. */
const VOID_DELAY_SECONDS = 2_592_000n;
/** A price that the oracle knows to one percent only decides no quick market. */
const MAX_CONFIDENCE_BPS = 100n;

export interface ContractPlan {
  readonly stablecoin: Create2Plan;
  readonly conditionalTokens: Create2Plan;
  readonly settlement: Create2Plan;
  readonly oracle: Create2Plan;
  readonly marketImplementation: Create2Plan;
  readonly marketFactory: Create2Plan;
  readonly priceOracle: Create2Plan;
  readonly quickMarketImplementation: Create2Plan;
  readonly quickMarketFactory: Create2Plan;
  readonly multicall: Create2Plan;
  readonly anchors: Create2Plan;
}

export interface RoleGrant {
  readonly contract: Hex;
  readonly role: Hex;
  readonly account: Hex;
}

export function planContracts({ owner, settlementGraceSeconds, bondAmount, salt }: ContractPlanOptions): ContractPlan {
  const plan = (creationCode: Hex) => planCreate2(creationCode, salt);
  const stablecoin = plan(testStablecoinBytecode);
  const conditionalTokens = plan(conditionalTokensWithPermitBytecode);
  const settlement = plan(
    encodeDeployData({
      abi: presageSettlementAbi,
      bytecode: presageSettlementBytecode,
      args: [owner, stablecoin.address, conditionalTokens.address, BigInt(settlementGraceSeconds)],
    }),
  );
  const oracle = plan(
    encodeDeployData({
      abi: optimisticOracleAbi,
      bytecode: optimisticOracleBytecode,
      args: [keyOf('arbitrator').address, stablecoin.address, MINIMUM_BOND],
    }),
  );
  const marketImplementation = plan(
    encodeDeployData({
      abi: marketAbi,
      bytecode: marketBytecode,
      // The operator sponsors bonds here: nobody needs money of their own to propose in the sandbox.
      args: [
        conditionalTokens.address,
        stablecoin.address,
        settlement.address,
        oracle.address,
        false,
        VOID_DELAY_SECONDS,
      ],
    }),
  );
  const marketFactory = plan(
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
    oracle,
    marketImplementation,
    marketFactory,
    ...planQuickMarkets(owner, { stablecoin, conditionalTokens, settlement, plan }),
    multicall: plan(multicall3Bytecode),
    anchors: plan(journalAnchorsBytecode),
  };
}

interface Foundations extends Pick<ContractPlan, 'stablecoin' | 'conditionalTokens' | 'settlement'> {
  readonly plan: (creationCode: Hex) => Create2Plan;
}

type QuickPlan = Pick<ContractPlan, 'priceOracle' | 'quickMarketImplementation' | 'quickMarketFactory'>;

function planQuickMarkets(owner: Hex, { stablecoin, conditionalTokens, settlement, plan }: Foundations): QuickPlan {
  const priceOracle = plan(
    encodeDeployData({ abi: priceOracleAbi, bytecode: priceOracleBytecode, args: [keyOf('feedSigner').address] }),
  );
  const quickMarketImplementation = plan(
    encodeDeployData({
      abi: quickMarketAbi,
      bytecode: quickMarketBytecode,
      args: [
        priceOracle.address,
        conditionalTokens.address,
        stablecoin.address,
        settlement.address,
        MAX_CONFIDENCE_BPS,
      ],
    }),
  );
  const quickMarketFactory = plan(
    encodeDeployData({
      abi: quickMarketFactoryAbi,
      bytecode: quickMarketFactoryBytecode,
      args: [owner, quickMarketImplementation.address, settlement.address],
    }),
  );
  return { priceOracle, quickMarketImplementation, quickMarketFactory };
}

/** The settler settles and makes quick markets; other markets are opened by the owner and by the relayer for its users. */
export function planRoles(plan: ContractPlan): RoleGrant[] {
  const settler = keyOf('settler').address;
  const creators = (['owner', 'settler', 'relayer'] as const).map((role) => ({
    contract: plan.marketFactory.address,
    role: CREATOR_ROLE,
    account: keyOf(role).address,
  }));
  return [
    { contract: plan.settlement.address, role: OPERATOR_ROLE, account: settler },
    { contract: plan.quickMarketFactory.address, role: CREATOR_ROLE, account: settler },
    ...creators,
  ];
}
