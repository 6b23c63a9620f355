// What other parts may use of the sandbox: its published keys and the process contract live behind these names.
export { keyOf, SANDBOX_MNEMONIC, type SandboxKey, type SandboxRole, sandboxKeys } from './chain/sandbox-keys.ts';
