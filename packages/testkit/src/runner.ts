// Runs a program of the repository from its TypeScript source: bundled once, then as fast as JavaScript.
import { fileURLToPath } from 'node:url';

/** The first argument of `node`, before the program's path. */
export const RUNNER = fileURLToPath(new URL('../../../scripts/run.mjs', import.meta.url));
