// The private chain and its price feed as other programs use them: a process to start, and its published keys.
import { fileURLToPath } from 'node:url';

export { FIRST_CHAIN_ID, keyOf, SANDBOX_TREASURY, type SandboxRole } from './sandbox-keys.ts';

export { LEAST_ORIGIN_NUMBER } from './snapshot/least-origin.ts';

/** The program of the chain's process. */
export const CHAIN_MAIN = fileURLToPath(new URL('./main.ts', import.meta.url));
