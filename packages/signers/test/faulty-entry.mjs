// The real program of a signature thread, with a switchboard that makes it fail in chosen ways a chosen number of times.
import { fileURLToPath } from 'node:url';
import { getEnvironmentData, parentPort } from 'node:worker_threads';
import { run } from '../../../scripts/run.mjs';

/** Shared with the test: how many starts, checks and answers are still to fail. */
const [STARTS, CHECKS, ANSWERS] = [0, 1, 2];
const faults = getEnvironmentData('signature-faults');

function isDue(kind) {
  if (Atomics.sub(faults, kind, 1) > 0) return true;
  Atomics.add(faults, kind, 1);
  return false;
}

if (isDue(STARTS)) throw new Error('this thread is set not to start');

parentPort.on('message', () => {
  if (isDue(CHECKS)) process.exit(1);
  if (isDue(ANSWERS)) parentPort.postMessage(new Uint8Array(3));
});

await run(fileURLToPath(new URL('../src/signature-worker.ts', import.meta.url)));
