// The program of one signature thread: recovers the signers of each batch it is sent and answers in the order they came.
import { parentPort, workerData } from 'node:worker_threads';
import { openSignerRecovery, type SignerKind } from '@presage/protocol/signer';
import { recoverChecks } from './signature-batch.ts';

const { prefer } = workerData as { readonly prefer?: SignerKind };
const port = parentPort;
if (port === null) throw new Error('signature-worker.ts is the program of a worker thread');

void openSignerRecovery(prefer).then((recovery) => {
  port.on('message', (checks: Uint8Array) => port.postMessage(recoverChecks(checks, recovery)));
  port.postMessage(recovery.kind);
});
