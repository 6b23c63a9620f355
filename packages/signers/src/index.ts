// Who signed what, recovered in threads: for many signatures a second beside other work.
export { SignaturePool } from './signature-pool.ts';
export { serveSignatures } from './signature-thread.ts';
