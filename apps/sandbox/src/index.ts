// What other parts may use of the sandbox: its published keys and the deployer.
export { keyOf, SANDBOX_MNEMONIC, type SandboxKey, type SandboxRole, sandboxKeys } from './chain/sandbox-keys.ts';
export { type DeployOptions, deployContracts, type SandboxDeployment } from './deployer/deploy-contracts.ts';
