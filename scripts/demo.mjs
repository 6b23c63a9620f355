// `npm run demo`: the sandbox with a market maker that keeps the books alive.
import { fileURLToPath } from 'node:url';
import { run } from './run.mjs';

process.env.PRESAGE_DEMO = 'on';
await run(fileURLToPath(new URL('../apps/sandbox/src/main.ts', import.meta.url)));
