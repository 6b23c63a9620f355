// Lets a worker thread run TypeScript: a thread is given a file that Node can load, and this one loads the rest.
import { fileURLToPath } from 'node:url';
import { run } from '../../../scripts/run.mjs';

await run(fileURLToPath(new URL('./signature-worker.ts', import.meta.url)));
