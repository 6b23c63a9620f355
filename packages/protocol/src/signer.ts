// Who signed a digest: native secp256k1 where it was built, else WebAssembly, each proved on a vector before use.
import { createRequire } from 'node:module';
import { createKeccak } from 'hash-wasm';
import { fromHex, toHex } from './hex.ts';
import type { Address } from './ids.ts';
import { toRecoverable } from './signature.ts';

/** Uncompressed public key of 65 bytes, or undefined when there is none. */
type RecoverKey = (compact: Uint8Array, recoveryId: 0 | 1, digest: Uint8Array) => Uint8Array | undefined;

export type SignerKind = 'native' | 'wasm';

export interface SignerRecovery {
  readonly kind: SignerKind;
  /** Undefined when the signature is malformed, high-s, or recovers to nothing. */
  recover(digest: Uint8Array, signature: Uint8Array): Address | undefined;
}

interface NativeSecp256k1 {
  ecdsaRecover(signature: Uint8Array, recoveryId: number, digest: Uint8Array, compressed: boolean): Uint8Array;
}

/** Made once with viem's signMessage; vectors/orders.json holds hundreds more. */
const SELF_TEST = {
  digest: '0x0202020202020202020202020202020202020202020202020202020202020202',
  signature:
    '0xd1e6a23258c54aacc49f965d64b2ceadbd346580099375a3b0a0cec88fe2611616bdb92f474133b0aaee4f4552bcc3d2f7452ac57ef22f702e3d5f384d9600711b',
  signer: '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266',
};

export async function openSignerRecovery(prefer?: SignerKind): Promise<SignerRecovery> {
  const keccak = await createKeccak(256);
  const toAddress = (key: Uint8Array): Address =>
    toHex(keccak.init().update(key.subarray(1)).digest('binary').subarray(12));
  for (const [kind, load] of LOADERS) {
    if (prefer !== undefined && prefer !== kind) continue;
    const recoverKey = await load();
    if (recoverKey === undefined) continue;
    const recovery = { kind, recover: recoverWith(recoverKey, toAddress) };
    if (passesSelfTest(recovery)) return recovery;
  }
  throw new Error('no working secp256k1: reinstall with `npm install`');
}

const LOADERS: readonly (readonly [SignerKind, () => Promise<RecoverKey | undefined>])[] = [
  ['native', loadNative],
  ['wasm', loadWasm],
];

function recoverWith(recoverKey: RecoverKey, toAddress: (key: Uint8Array) => Address): SignerRecovery['recover'] {
  return (digest, signature) => {
    if (signature.length !== 65) return undefined;
    const recoverable = toRecoverable(signature);
    if (recoverable === undefined) return undefined;
    const key = recoverKey(recoverable.compact, recoverable.recoveryId, digest);
    return key === undefined ? undefined : toAddress(key);
  };
}

/** `secp256k1/bindings` and not `secp256k1`: the latter falls silently back to slow JavaScript. */
async function loadNative(): Promise<RecoverKey | undefined> {
  let native: NativeSecp256k1;
  try {
    native = createRequire(import.meta.url)('secp256k1/bindings') as NativeSecp256k1;
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

async function loadWasm(): Promise<RecoverKey | undefined> {
  // Half a second of start-up that only this fallback needs.
  const { instantiateSecp256k1 } = await import('@bitauth/libauth');
  const wasm = await instantiateSecp256k1();
  return (compact, recoveryId, digest) => {
    const key = wasm.recoverPublicKeyUncompressed(compact, recoveryId, digest);
    return typeof key === 'string' ? undefined : key;
  };
}

function passesSelfTest(recovery: SignerRecovery): boolean {
  return recovery.recover(fromHex(SELF_TEST.digest), fromHex(SELF_TEST.signature)) === SELF_TEST.signer;
}
