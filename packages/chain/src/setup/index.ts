// Going live: the chains file, keys, deployment and the checks of a chain; for Node.
export type { ReadChainSettings } from './chains-file.ts';
export { readChainsFile } from './chains-file.ts';
export type { ChainFault, ServiceKeys } from './checks/chain-fault.ts';
export { findChainFaults, findForeignFaults } from './checks/find-chain-faults.ts';
export type { ContractPlan } from './deploy/contract-plan.ts';
export { planContracts, planRoles, toServedContracts } from './deploy/contract-plan.ts';
export { Deployer, DeployRefused } from './deploy/deployer.ts';
export type { DeploymentTerms } from './deploy/deployment-settings.ts';
export { readDeploymentSettings, toChainsEntry } from './deploy/deployment-settings.ts';
export { MULTICALL3 } from './deploy/networks.ts';
export type { SigningKey } from './key-source.ts';
export { KeyRefused, readKey } from './key-source.ts';
export { readServiceKeys } from './service-keys.ts';
export { toSigningAccount } from './signing-account.ts';
