// Lets a worker thread run TypeScript: Node can load this file, and it loads the rest.
import { fileURLToPath } from 'node:url';
import { run } from '../../../scripts/run.mjs';

await run(fileURLToPath(new URL('./signature-worker.ts', import.meta.url)));
