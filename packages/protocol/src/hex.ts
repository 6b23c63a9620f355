// Bytes to hex and back, without an 0x-prefixed surprise: for digests, signatures and state hashes.

/** `0x` and hex digits, of any length: what nodes, signatures and hashes are written in. */
export type Hex = `0x${string}`;

const DIGITS = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

export function toHex(bytes: Uint8Array): `0x${string}` {
  let text = '0x';
  for (let i = 0; i < bytes.length; i++) text += DIGITS[bytes[i]!];
  return text as `0x${string}`;
}

/** Writes the bytes of `0x…` into `target` at `offset`. The caller has checked that it is hex of the right length. */
export function writeHex(target: Uint8Array, offset: number, hex: string): void {
  for (let i = 2, at = offset; i < hex.length; i += 2, at++) {
    target[at] = (nibble(hex.charCodeAt(i)) << 4) | nibble(hex.charCodeAt(i + 1));
  }
}

export function fromHex(hex: string): Uint8Array {
  const bytes = new Uint8Array((hex.length - 2) / 2);
  writeHex(bytes, 0, hex);
  return bytes;
}

/** ASCII only: digits 0x30-39, letters 0x41-46 and 0x61-66. */
function nibble(code: number): number {
  return code <= 57 ? code - 48 : (code & 15) + 9;
}
