// The real program of a signature thread, which counts the batches that it is sent.
import { fileURLToPath } from 'node:url';
import { getEnvironmentData, parentPort } from 'node:worker_threads';
import { run } from '../../../scripts/run.mjs';

const batches = getEnvironmentData('signature-batches');
parentPort.on('message', () => Atomics.add(batches, 0, 1));

await run(fileURLToPath(new URL('../src/signature-worker.ts', import.meta.url)));
