// The hash function of Ethereum, as browsers have it too.
import { keccak_256 } from '@noble/hashes/sha3';

export function keccak(bytes: Uint8Array): Uint8Array {
  return keccak_256(bytes);
}
