// Message format between pool and worker thread: fixed-width bytes, so that a batch is one buffer and not a hundred cloned objects.
import type { Address } from '@presage/protocol';
import type { SignerRecovery } from '@presage/protocol/signer';

export const DIGEST_BYTES = 32;
export const SIGNATURE_BYTES = 65;
const CHECK_BYTES = DIGEST_BYTES + SIGNATURE_BYTES;

const ADDRESS_BYTES = 20;
/** One byte that tells whether there is a signer, then its address. */
const RESULT_BYTES = 1 + ADDRESS_BYTES;

export interface SignatureCheck {
  readonly digest: Uint8Array;
  readonly signature: Uint8Array;
}

export function encodeChecks(checks: readonly SignatureCheck[]): Uint8Array {
  const bytes = new Uint8Array(checks.length * CHECK_BYTES);
  let at = 0;
  for (const { digest, signature } of checks) {
    bytes.set(digest, at);
    bytes.set(signature, at + DIGEST_BYTES);
    at += CHECK_BYTES;
  }
  return bytes;
}

export function recoverChecks(checks: Uint8Array, recovery: SignerRecovery): Uint8Array {
  const count = checks.length / CHECK_BYTES;
  const results = new Uint8Array(count * RESULT_BYTES);
  for (let i = 0; i < count; i++) {
    const at = i * CHECK_BYTES;
    const digest = checks.subarray(at, at + DIGEST_BYTES);
    const signer = recovery.recover(digest, checks.subarray(at + DIGEST_BYTES, at + CHECK_BYTES));
    if (signer !== undefined) writeSigner(results, i * RESULT_BYTES, signer);
  }
  return results;
}

/** One entry per check, in order. Throws if the buffer is not an answer to `count` checks. */
export function decodeSigners(results: Uint8Array, count: number): (Address | undefined)[] {
  if (results.length !== count * RESULT_BYTES) {
    throw new RangeError(`${results.length} bytes are no answer to ${count} signature checks`);
  }
  const buffer = Buffer.from(results.buffer, results.byteOffset, results.length);
  return Array.from({ length: count }, (_, index) => readSigner(buffer, index * RESULT_BYTES));
}

function writeSigner(results: Uint8Array, at: number, signer: Address): void {
  results[at] = 1;
  results.set(Buffer.from(signer.slice(2), 'hex'), at + 1);
}

function readSigner(results: Buffer, at: number): Address | undefined {
  if (results[at] !== 1) return undefined;
  const signer: `0x${string}` = `0x${results.toString('hex', at + 1, at + RESULT_BYTES)}`;
  return signer;
}
