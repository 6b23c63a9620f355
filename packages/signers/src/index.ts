// Recovers signers in threads: many signatures a second beside other work.
export { SIGNATURE_BYTES } from './signature-batch.ts';
export { SignaturePool } from './signature-pool.ts';
export { serveSignatures } from './signature-thread.ts';
