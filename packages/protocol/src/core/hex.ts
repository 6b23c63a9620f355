// Bytes to hex and back, always with `0x`: for digests, signatures and state hashes.

/** `0x` and hex digits of any length: the form of signatures, hashes and everything from a node. */
export type Hex = `0x${string}`;

/** Checks the prefix only. Schemas check the digits, `isAddress` and `isBytes32` the length. */
export function isHex(value: unknown): value is Hex {
  return typeof value === 'string' && value.startsWith('0x');
}

export function asHex(value: unknown): Hex {
  if (isHex(value)) return value;
  throw new TypeError(`not hex: ${value}`);
}

/** Ids and addresses are compared in lower case. */
export function toLowerHex(text: string): Hex {
  return asHex(text.toLowerCase());
}

const DIGITS = Uint8Array.from('0123456789abcdef', (digit) => digit.charCodeAt(0));
/** Scratch buffer large enough for a signature; longer values get a buffer of their own. */
const SCRATCH = new Uint8Array(256);
SCRATCH.set([48, 120]);

/** Builds the string from character codes in one call: V8 keeps a concatenated string as a tree of its pieces. */
export function toHex(bytes: Uint8Array, start = 0, end = bytes.length): `0x${string}` {
  const length = 2 + 2 * (end - start);
  const codes = length <= SCRATCH.length ? SCRATCH : new Uint8Array(length);
  if (codes !== SCRATCH) codes.set([48, 120]);
  for (let i = start, at = 2; i < end; i++) {
    const byte = bytes[i]!;
    codes[at++] = DIGITS[byte >> 4]!;
    codes[at++] = DIGITS[byte & 15]!;
  }
  // The first two character codes are `0x`.
  return toText(codes, length) as Hex;
}

interface NodeBytes {
  latin1Slice(start: number, end: number): string;
}
/** Declared here because browsers have no `Buffer` and its types are not loaded for them. */
declare const Buffer: { from(bytes: ArrayBuffer): NodeBytes } | undefined;
const nodeScratch = typeof Buffer === 'undefined' ? undefined : Buffer.from(SCRATCH.buffer);

/** `latin1Slice` of Node takes a tenth of the time of `String.fromCharCode`, which browsers use. */
function toText(codes: Uint8Array, length: number): string {
  if (nodeScratch !== undefined && codes === SCRATCH) return nodeScratch.latin1Slice(0, length);
  return String.fromCharCode.apply(undefined, Array.from(codes.subarray(0, length)));
}

/** Writes the bytes of `0x…` into `target` at `offset`. The caller must have checked the digits and the length. */
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
