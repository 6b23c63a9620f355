// Texts that a schema has checked already, as the ids the domain knows: the only casts from text to branded ids in the API.
import type { Address, Bytes32 } from '@presage/protocol';

/** `text` fits AddressText: 0x and 40 hex digits. Inside, ids are in lower case. */
export function toAddress(text: string): Address {
  return text.toLowerCase() as Address;
}

/** `text` fits Bytes32Text: 0x and 64 hex digits. */
export function toBytes32(text: string): Bytes32 {
  return text.toLowerCase() as Bytes32;
}
