// Our contracts on one chain, typed: the single place where addresses meet ABIs.
import {
  conditionalTokensWithPermitAbi,
  marketAbi,
  marketFactoryAbi,
  presageSettlementAbi,
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
  readonly stablecoin: Address;
  readonly multicall: Address;
}

export interface Contracts {
  readonly settlement: TypedContract<typeof presageSettlementAbi>;
  readonly conditionalTokens: TypedContract<typeof conditionalTokensWithPermitAbi>;
  readonly marketFactory: TypedContract<typeof marketFactoryAbi>;
  readonly stablecoin: TypedContract<typeof testStablecoinAbi>;
  market(address: Address): TypedContract<typeof marketAbi>;
  /** Reads of any of these contracts in one call on one block. */
  readTogether<const R extends readonly ContractRead<unknown>[]>(
    reads: R,
    options?: MulticallOptions,
  ): Promise<ReadResults<R>>;
}

export function createContracts(options: { readonly rpc: Rpc; readonly deployment: Deployment }): Contracts {
  const { rpc, deployment } = options;
  return {
    settlement: new TypedContract(rpc, deployment.settlement, presageSettlementAbi),
    conditionalTokens: new TypedContract(rpc, deployment.conditionalTokens, conditionalTokensWithPermitAbi),
    marketFactory: new TypedContract(rpc, deployment.marketFactory, marketFactoryAbi),
    stablecoin: new TypedContract(rpc, deployment.stablecoin, testStablecoinAbi),
    market: (address) => new TypedContract(rpc, address, marketAbi),
    readTogether: (reads, together) => readTogether({ rpc, multicall: deployment.multicall }, reads, together),
  };
}
