// The first topic of an event's logs.
import { keccak_256 } from '@noble/hashes/sha3';
import { toHex } from '@presage/protocol/browser';

/** Topic of an event's signature: its name and the types of its fields. */
export function topicOf(signature: string): string {
  return toHex(keccak_256(signature));
}
