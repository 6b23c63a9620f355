// Hex text as words of slabs, read into one reused buffer, because commands and events come one at a time.

/** Value of a lower-case hex digit by its character code; 16 for any other character. */
const NIBBLES = Uint8Array.from({ length: 128 }, (_, code) => {
  const value = '0123456789abcdef'.indexOf(String.fromCharCode(code));
  return value < 0 ? 16 : value;
});

/** Writes the bytes of `0x…` into `target`. Returns whether it was lower-case hex of this length. */
export function writeHexBytes(target: Uint8Array, offset: number, hex: string, length: number): boolean {
  let wrong = hex.length === 2 + 2 * length ? 0 : 16;
  for (let from = 2, to = offset; to < offset + length; from += 2, to++) {
    const high = hex.charCodeAt(from);
    const low = hex.charCodeAt(from + 1);
    const byte = (NIBBLES[high & 127]! << 4) | NIBBLES[low & 127]!;
    wrong |= NIBBLES[high & 127]! | NIBBLES[low & 127]! | (((high | low) >> 3) & 16);
    target[to] = byte;
  }
  return wrong < 16;
}

/** A value of a fixed length, read from text and compared as words. */
export class HexWords {
  readonly words: Int32Array;
  readonly #bytes: Uint8Array;
  readonly #length: number;

  constructor(length: number) {
    this.words = new Int32Array(length / 4);
    this.#bytes = new Uint8Array(this.words.buffer);
    this.#length = length;
  }

  /** Returns whether the text was such a value. */
  read(hex: string): boolean {
    return writeHexBytes(this.#bytes, 0, hex, this.#length);
  }
}

/** A uint64 as two words, the lower first. */
export class WordPair {
  readonly #big = new BigUint64Array(1);
  readonly #words = new Int32Array(this.#big.buffer);
  low = 0;
  high = 0;

  read(value: bigint): void {
    if (value < 0n || value > MAX_UINT64) throw new RangeError(`${value} is no uint64`);
    this.#big[0] = value;
    this.low = this.#words[0]!;
    this.high = this.#words[1]!;
  }
}

const MAX_UINT64 = 2n ** 64n - 1n;

/** Converts to a number, rounded past 2^53 like a converted bigint. */
export function toNumber(low: number, high: number): number {
  return (high >>> 0) * 2 ** 32 + (low >>> 0);
}

export function toBigint(low: number, high: number): bigint {
  const isSafe = high >>> 0 < 2 ** 21;
  return isSafe ? BigInt(toNumber(low, high)) : (BigInt(high >>> 0) << 32n) | BigInt(low >>> 0);
}
