// Signs digests with one key: native secp256k1 if it was built, else WebAssembly; needs no wallet library.
import { createRequire } from 'node:module';
import { fromHex, type Hex, toHex } from '../core/hex.ts';

/** Signature of r, s and v (27 or 28); s is low. */
export type SignDigest = (digest: Hex) => Hex;

type SignCompact = (digest: Uint8Array, key: Uint8Array) => { readonly compact: Uint8Array; readonly recovery: number };

interface NativeSecp256k1 {
  ecdsaSign(digest: Uint8Array, key: Uint8Array): { readonly signature: Uint8Array; readonly recid: number };
}

export async function openDigestSigner(privateKey: Hex, prefer?: 'native' | 'wasm'): Promise<SignDigest> {
  const key = fromHex(privateKey);
  const sign = (prefer === 'wasm' ? undefined : loadNative()) ?? (await loadWasm());
  return (digest) => {
    const { compact, recovery } = sign(fromHex(digest), key);
    return `${toHex(compact)}${(27 + recovery).toString(16)}`;
  };
}

function loadNative(): SignCompact | undefined {
  try {
    const native: NativeSecp256k1 = createRequire(import.meta.url)('secp256k1/bindings');
    return (digest, key) => {
      const { signature, recid } = native.ecdsaSign(digest, key);
      return { compact: signature, recovery: recid };
    };
  } catch {
    return undefined;
  }
}

async function loadWasm(): Promise<SignCompact> {
  // Loaded only for this fallback: it takes half a second of start-up.
  const { instantiateSecp256k1 } = await import('@bitauth/libauth');
  const wasm = await instantiateSecp256k1();
  return (digest, key) => {
    const signed = wasm.signMessageHashRecoverableCompact(key, digest);
    if (typeof signed === 'string') throw new Error(`the digest could not be signed: ${signed}`);
    return { compact: signed.signature, recovery: signed.recoveryId };
  };
}
