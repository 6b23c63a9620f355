// Our contracts on one chain, typed: the single place where addresses meet ABIs.
import {
  conditionalTokensWithPermitAbi,
  marketAbi,
  marketFactoryAbi,
  optimisticOracleAbi,
  presageSettlementAbi,
  priceOracleAbi,
  quickMarketAbi,
  quickMarketFactoryAbi,
  testStablecoinAbi,
} from '@presage/contracts';
import type { Address } from 'viem';
import { type MulticallOptions, type ReadResults, readTogether } from './multicall.ts';
import type { Rpc } from './rpc.ts';
import { type ContractRead, TypedContract } from './typed-contract.ts';

export interface Deployment {
  readonly settlement: Address;
  readonly conditionalTokens: Address;
  readonly marketFactory: Address;
  /** The optimistic oracle: ours in the sandbox, UMA's OptimisticOracleV3 elsewhere. */
  readonly oracle: Address;
  readonly stablecoin: Address;
  readonly multicall: Address;
  /** Missing if the chain has no quick markets. */
  readonly priceOracle?: Address;
  readonly quickMarketFactory?: Address;
  /** Where the journal is anchored; absent where it is not. */
  readonly anchors?: Address;
}

export interface QuickContracts {
  readonly factory: TypedContract<typeof quickMarketFactoryAbi>;
  readonly oracle: TypedContract<typeof priceOracleAbi>;
  market(address: Address): TypedContract<typeof quickMarketAbi>;
}

export interface Contracts {
  readonly settlement: TypedContract<typeof presageSettlementAbi>;
  readonly conditionalTokens: TypedContract<typeof conditionalTokensWithPermitAbi>;
  readonly marketFactory: TypedContract<typeof marketFactoryAbi>;
  readonly oracle: TypedContract<typeof optimisticOracleAbi>;
  readonly stablecoin: TypedContract<typeof testStablecoinAbi>;
  market(address: Address): TypedContract<typeof marketAbi>;
  readonly quick?: QuickContracts;
  /** Reads of any of these contracts in one call on one block. */
  readTogether<const R extends readonly ContractRead<unknown>[]>(
    reads: R,
    options?: MulticallOptions,
  ): Promise<ReadResults<R>>;
}

export function createContracts(options: { readonly rpc: Rpc; readonly deployment: Deployment }): Contracts {
  const { rpc, deployment } = options;
  const quick = createQuickContracts(rpc, deployment);
  return {
    settlement: new TypedContract(rpc, deployment.settlement, presageSettlementAbi),
    conditionalTokens: new TypedContract(rpc, deployment.conditionalTokens, conditionalTokensWithPermitAbi),
    marketFactory: new TypedContract(rpc, deployment.marketFactory, marketFactoryAbi),
    oracle: new TypedContract(rpc, deployment.oracle, optimisticOracleAbi),
    stablecoin: new TypedContract(rpc, deployment.stablecoin, testStablecoinAbi),
    market: (address) => new TypedContract(rpc, address, marketAbi),
    ...(quick && { quick }),
    readTogether: (reads, together) => readTogether({ rpc, multicall: deployment.multicall }, reads, together),
  };
}

function createQuickContracts(rpc: Rpc, { priceOracle, quickMarketFactory }: Deployment): QuickContracts | undefined {
  if (priceOracle === undefined || quickMarketFactory === undefined) return undefined;
  return {
    factory: new TypedContract(rpc, quickMarketFactory, quickMarketFactoryAbi),
    oracle: new TypedContract(rpc, priceOracle, priceOracleAbi),
    market: (address) => new TypedContract(rpc, address, quickMarketAbi),
  };
}
