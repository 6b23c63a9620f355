// From a deployment to its entry in the chains file.
import type { ChainSettings } from '../chain-settings.ts';
import type { ContractPlan } from './contract-plan.ts';
import type { DeploymentTerms } from './deployment-settings.ts';

export interface ChainsEntryOptions {
  readonly terms: DeploymentTerms;
  readonly plan: ContractPlan;
  /** The node that the contracts were deployed through. */
  readonly rpcUrl: string;
  readonly fromBlock: number;
}

export function toChainsEntry({ terms, plan, rpcUrl, fromBlock }: ChainsEntryOptions): ChainSettings {
  const { settings, fees, explorerUrl } = terms;
  const { marketImplementation: _, quickMarketImplementation: __, ...contracts } = plan.addresses;
  const { rpcUrls = [rpcUrl], transactionGasCap, sponsoredBondsPerDay, arbitrator, creatorKey } = settings;
  return {
    chainId: settings.chainId,
    name: terms.name,
    rpcUrls,
    ...(explorerUrl !== undefined && { explorerUrl }),
    ...fees,
    collateralCheck: 'enforce',
    ...(transactionGasCap !== undefined && { transactionGasCap }),
    settlementGraceSeconds: terms.settlementGraceSeconds,
    ...(sponsoredBondsPerDay !== undefined && { sponsoredBondsPerDay }),
    contracts,
    fromBlock,
    settlerKey: settings.settlerKey,
    relayerKey: settings.relayerKey,
    ...(creatorKey !== undefined && { creatorKey }),
    ownerAddress: settings.owner,
    pauserAddress: settings.pauser,
    creatorAddress: settings.creator,
    ...(arbitrator !== undefined && { arbitratorAddress: arbitrator }),
  };
}
