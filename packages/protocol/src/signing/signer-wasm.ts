// Recovers the signer of a digest on any platform: WebAssembly, checked against a test vector before use.
import { createKeccak, type IHasher } from 'hash-wasm';
import { fromHex, toHex } from '../core/hex.ts';
import type { Address } from '../core/ids.ts';
import { toRecoverable } from './signature.ts';

/** Returns the uncompressed public key of 65 bytes, or undefined if there is none. */
export type RecoverKey = (compact: Uint8Array, recoveryId: 0 | 1, digest: Uint8Array) => Uint8Array | undefined;

export type SignerKind = 'native' | 'wasm';

export interface SignerRecovery {
  readonly kind: SignerKind;
  /** Returns undefined if the signature is malformed, has a high s, or recovers to no key. */
  recover(digest: Uint8Array, signature: Uint8Array): Address | undefined;
}

/** Created once with viem's signMessage; vectors/orders.json holds hundreds more. */
const SELF_TEST = {
  digest: '0x0202020202020202020202020202020202020202020202020202020202020202',
  signature:
    '0xd1e6a23258c54aacc49f965d64b2ceadbd346580099375a3b0a0cec88fe2611616bdb92f474133b0aaee4f4552bcc3d2f7452ac57ef22f702e3d5f384d9600711b',
  signer: '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266',
};

export async function openWasmRecovery(): Promise<SignerRecovery> {
  const recovery = toRecovery('wasm', await loadWasm(), await createKeccak(256));
  if (passesSelfTest(recovery)) return recovery;
  throw new Error('no working secp256k1 in WebAssembly');
}

export function toRecovery(kind: SignerKind, recoverKey: RecoverKey, keccak: IHasher): SignerRecovery {
  const toAddress = (key: Uint8Array): Address =>
    toHex(keccak.init().update(key.subarray(1)).digest('binary').subarray(12));
  return { kind, recover: recoverWith(recoverKey, toAddress) };
}

function recoverWith(recoverKey: RecoverKey, toAddress: (key: Uint8Array) => Address): SignerRecovery['recover'] {
  return (digest, signature) => {
    if (signature.length !== 65) return undefined;
    const recoverable = toRecoverable(signature);
    if (recoverable === undefined) return undefined;
    const key = recoverKey(recoverable.compact, recoverable.recoveryId, digest);
    return key === undefined ? undefined : toAddress(key);
  };
}

export async function loadWasm(): Promise<RecoverKey> {
  // Loaded only on use: it takes half a second of start-up.
  const { instantiateSecp256k1 } = await import('@bitauth/libauth');
  const wasm = await instantiateSecp256k1();
  return (compact, recoveryId, digest) => {
    const key = wasm.recoverPublicKeyUncompressed(compact, recoveryId, digest);
    return typeof key === 'string' ? undefined : key;
  };
}

export function passesSelfTest(recovery: SignerRecovery): boolean {
  return recovery.recover(fromHex(SELF_TEST.digest), fromHex(SELF_TEST.signature)) === SELF_TEST.signer;
}
