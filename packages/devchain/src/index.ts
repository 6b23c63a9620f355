// Exports for programs that start the private chain as a process: its entry point, its price feed and its published
// keys.
import { fileURLToPath } from 'node:url';

export { FIRST_CHAIN_ID, keyOf, SANDBOX_TREASURY, type SandboxRole } from './sandbox-keys.ts';

export { LEAST_ORIGIN_NUMBER } from './snapshot/least-origin.ts';

/** Entry point of the chain process. */
export const CHAIN_MAIN = fileURLToPath(new URL('./main.ts', import.meta.url));
