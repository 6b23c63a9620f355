// Writes and reads the fields of a binary record in sequence; every value is checked both ways.
import { type Hex, toHex } from '../core/hex.ts';

export class RecordInvalid extends Error {
  override readonly name = 'RecordInvalid';
}

const utf8 = new TextEncoder();
const text = new TextDecoder('utf-8', { fatal: true });
/** Value of a lower-case hex digit by its character code; 16 for any other character. */
const NIBBLES = Uint8Array.from({ length: 128 }, (_, code) => {
  const value = '0123456789abcdef'.indexOf(String.fromCharCode(code));
  return value < 0 ? 16 : value;
});
/** Upper bound of a record: fixed fields and a handful of short texts. */
const MAX_BYTES = 4_096;

/** One writer serves all records: they are written one at a time, and `take` copies. */
export class RecordWriter {
  readonly #bytes = new Uint8Array(MAX_BYTES);
  #at = 0;

  begin(tag: number): this {
    this.#bytes[0] = tag;
    this.#at = 1;
    return this;
  }

  /** Up to seven bits. */
  flags(...bits: readonly (boolean | 0 | 1)[]): this {
    let byte = 0;
    for (let at = 0; at < bits.length; at++) if (bits[at]) byte |= 1 << at;
    this.#bytes[this.#at++] = byte;
    return this;
  }

  /** Variable-length integer: seven bits per byte, lowest first. */
  integer(value: number, least: number, most: number = Number.MAX_SAFE_INTEGER): this {
    if (!Number.isSafeInteger(value) || value < least || value > most)
      throw new RecordInvalid(`${value} is out of range`);
    let rest = value;
    while (rest > 127) {
      this.#bytes[this.#at++] = (rest % 128) | 128;
      rest = Math.floor(rest / 128);
    }
    this.#bytes[this.#at++] = rest;
    return this;
  }

  uint256(value: bigint): this {
    if (value < 0n || value >> 256n > 0n) throw new RecordInvalid(`${value} is no uint256`);
    let rest = value;
    while (rest > 127n) {
      this.#bytes[this.#at++] = Number(rest & 127n) | 128;
      rest >>= 7n;
    }
    this.#bytes[this.#at++] = Number(rest);
    return this;
  }

  hex(value: Hex, length: number): this {
    if (value.length !== 2 + 2 * length || !value.startsWith('0x'))
      throw new RecordInvalid(`${value} is not ${length} bytes`);
    const bytes = this.#bytes;
    let [wrong, to] = [0, this.#at];
    for (let at = 2; at < value.length; at += 2) {
      const high = NIBBLES[value.charCodeAt(at) & 127]!;
      const low = NIBBLES[value.charCodeAt(at + 1) & 127]!;
      wrong |= high | low | ((value.charCodeAt(at) >> 7) << 4) | ((value.charCodeAt(at + 1) >> 7) << 4);
      bytes[to++] = (high << 4) | low;
    }
    this.#at = to;
    if (wrong > 15) throw new RecordInvalid(`${value} is not lower-case hex`);
    return this;
  }

  text(value: string): this {
    const bytes = utf8.encode(value);
    this.integer(bytes.length, 0, MAX_BYTES / 4);
    this.#bytes.set(bytes, this.#at);
    this.#at += bytes.length;
    return this;
  }

  take(): Uint8Array {
    return this.#bytes.slice(0, this.#at);
  }
}

export class RecordReader {
  readonly #bytes: Uint8Array;
  #at = 1;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  flags(): number {
    return this.#next();
  }

  integer(least: number, most: number = Number.MAX_SAFE_INTEGER): number {
    let [value, scale] = [0, 1];
    for (let byte = this.#next(); ; byte = this.#next(), scale *= 128) {
      value += (byte & 127) * scale;
      if (byte < 128) break;
    }
    if (value < least || value > most) throw new RecordInvalid(`${value} is out of range`);
    return value;
  }

  uint256(): bigint {
    let [value, shift] = [0n, 0n];
    for (let byte = this.#next(); ; byte = this.#next(), shift += 7n) {
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) break;
    }
    if (value >> 256n > 0n) throw new RecordInvalid(`${value} is no uint256`);
    return value;
  }

  hex(length: number): Hex {
    const start = this.#skip(length);
    return toHex(this.#bytes, start, start + length);
  }

  /** Reads a value that many records share, as one string for all of them. */
  sharedHex(length: number, shared: SharedHex): Hex {
    return shared.find(this.#bytes, this.#skip(length), length);
  }

  text(): string {
    const length = this.integer(0);
    const start = this.#skip(length);
    return text.decode(this.#bytes.subarray(start, start + length));
  }

  end(): void {
    if (this.#at !== this.#bytes.length) throw new RecordInvalid(`${this.#bytes.length - this.#at} bytes too many`);
  }

  #next(): number {
    const byte = this.#bytes[this.#at++];
    if (byte === undefined) throw new RecordInvalid('the record ends early');
    return byte;
  }

  /** Advances past the next bytes and returns where they begin. */
  #skip(length: number): number {
    const start = this.#at;
    if (start + length > this.#bytes.length) throw new RecordInvalid('the record ends early');
    this.#at = start + length;
    return start;
  }
}

const SHARED_SLOTS = 4_096;

/** Cache of recent values by their first bytes: the same wallets and markets recur. */
export class SharedHex {
  readonly #bytes: (Uint8Array | undefined)[] = new Array(SHARED_SLOTS);
  readonly #texts: Hex[] = new Array(SHARED_SLOTS);

  find(bytes: Uint8Array, start: number, length: number): Hex {
    const slot = (bytes[start]! | (bytes[start + 1]! << 8)) % SHARED_SLOTS;
    const known = this.#bytes[slot];
    if (known !== undefined && isAt(bytes, start, known)) return this.#texts[slot]!;
    const hex = toHex(bytes, start, start + length);
    this.#bytes[slot] = bytes.slice(start, start + length);
    this.#texts[slot] = hex;
    return hex;
  }
}

/** Both have the same length: a table holds values of one kind. */
function isAt(bytes: Uint8Array, start: number, known: Uint8Array): boolean {
  for (let at = 0; at < known.length; at++) if (bytes[start + at] !== known[at]) return false;
  return true;
}
