// Recovers the signer of a digest: native secp256k1 if it was built, else WebAssembly, each checked against a test
// vector before use.
import { createRequire } from 'node:module';
import { createKeccak } from 'hash-wasm';
import {
  loadWasm,
  passesSelfTest,
  type RecoverKey,
  type SignerKind,
  type SignerRecovery,
  toRecovery,
} from './signer-wasm.ts';

export type { SignerKind, SignerRecovery };

interface NativeSecp256k1 {
  ecdsaRecover(signature: Uint8Array, recoveryId: number, digest: Uint8Array, compressed: boolean): Uint8Array;
}

export async function openSignerRecovery(prefer?: SignerKind): Promise<SignerRecovery> {
  const keccak = await createKeccak(256);
  for (const [kind, load] of LOADERS) {
    if (prefer !== undefined && prefer !== kind) continue;
    const recoverKey = await load();
    if (recoverKey === undefined) continue;
    const recovery = toRecovery(kind, recoverKey, keccak);
    if (passesSelfTest(recovery)) return recovery;
  }
  throw new Error('no working secp256k1: reinstall with `npm install`');
}

const LOADERS: readonly (readonly [SignerKind, () => Promise<RecoverKey | undefined>])[] = [
  ['native', loadNative],
  ['wasm', loadWasm],
];

/** `secp256k1/bindings` instead of `secp256k1`, which silently falls back to slow JavaScript. */
async function loadNative(): Promise<RecoverKey | undefined> {
  let native: NativeSecp256k1;
  try {
    native = createRequire(import.meta.url)('secp256k1/bindings');
  } catch {
    return undefined;
  }
  return (compact, recoveryId, digest) => {
    try {
      return native.ecdsaRecover(compact, recoveryId, digest, false);
    } catch {
      return undefined;
    }
  };
}
