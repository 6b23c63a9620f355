// The work of one signature thread: recovers the signers of each batch and answers in order.
import { parentPort } from 'node:worker_threads';
import { openSignerRecovery } from '@presage/protocol/signer';
import { recoverChecks } from './signature-batch.ts';

/** Resolves when the thread accepts batches. */
export async function serveSignatures(): Promise<void> {
  if (parentPort === null) throw new Error('signatures are served in a worker thread only');
  const port = parentPort;
  const recovery = await openSignerRecovery();
  port.on('message', (checks: Uint8Array) => port.postMessage(recoverChecks(checks, recovery)));
  port.postMessage(recovery.kind);
}
