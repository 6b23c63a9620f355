// What other parts may use of the sandbox: its published keys, the deployer and the funding of wallets.
export { keyOf, SANDBOX_MNEMONIC, type SandboxKey, type SandboxRole, sandboxKeys } from './chain/sandbox-keys.ts';
export { type DeployOptions, deployContracts, type SandboxDeployment } from './deployer/deploy-contracts.ts';
export { type FundOptions, giveApprovals, giveGasMoney, giveStablecoin } from './deployer/fund.ts';
