// Encodes rows for a binary COPY in a growing buffer.
import { writeHex } from '@presage/protocol';

/** Signature, flags and length of the extension. */
const HEADER = Buffer.from('PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0', 'latin1');
const NO_MORE_ROWS = -1;
const NULL = -1;
const FIRST_CAPACITY = 64 * 1_024;
/** Upper bound of a fixed-length value with its length prefix. */
const FIXED_BYTES = 12;
const UINT32 = 2 ** 32;
/** Decimal digits per digit of PostgreSQL's numeric, which is in base 10,000. */
const DIGITS = 4;
const BASE = 10 ** DIGITS;
const NEGATIVE = 0x4000;
/** Up to this length (names of stages and reasons) writing a text here is faster than handing it to the platform. */
const SHORT_TEXT = 64;

export class CopyBytes {
  #bytes = Buffer.allocUnsafe(FIRST_CAPACITY);
  /** View of the same bytes: writes a number in a fraction of the time of the Buffer methods. */
  #view = viewOf(this.#bytes);
  #length = HEADER.copy(this.#bytes);

  get length(): number {
    return this.#length;
  }

  /** Returns the bytes written since the last call; later writes continue after them. */
  take(): Buffer {
    const taken = this.#bytes.subarray(0, this.#length);
    this.#use(Buffer.allocUnsafe(this.#bytes.length));
    this.#length = 0;
    return taken;
  }

  row(columns: number): void {
    this.#reserve(FIXED_BYTES * columns);
    this.#put16(columns);
  }

  end(): void {
    this.row(NO_MORE_ROWS);
  }

  null(): void {
    this.#begin(0);
    this.#view.setInt32(this.#length - 4, NULL);
  }

  flag(value: boolean): void {
    this.#begin(1);
    this.#bytes[this.#length++] = value ? 1 : 0;
  }

  int16(value: number): void {
    this.#begin(2);
    this.#put16(value);
  }

  int32(value: number): void {
    this.#begin(4);
    this.#put32(value);
  }

  /** The value is at most 2^53. */
  int64(value: number): void {
    this.#begin(8);
    const high = Math.floor(value / UINT32);
    this.#put32(high);
    this.#put32(value - high * UINT32);
  }

  bigint64(value: bigint): void {
    this.#begin(8);
    this.#view.setBigInt64(this.#length, value);
    this.#length += 8;
  }

  /** `0x` and hex digits. */
  hex(value: string): void {
    const bytes = (value.length - 2) / 2;
    this.#begin(bytes);
    writeHex(this.#bytes, this.#length, value);
    this.#length += bytes;
  }

  text(value: string): void {
    const bytes = isAscii(value) ? value.length : Buffer.byteLength(value);
    this.#begin(bytes);
    if (bytes > SHORT_TEXT || bytes !== value.length) this.#bytes.write(value, this.#length, bytes, 'utf8');
    else for (let at = 0; at < bytes; at++) this.#bytes[this.#length + at] = value.charCodeAt(at);
    this.#length += bytes;
  }

  /** An integer of any length. */
  numeric(value: bigint): void {
    const number = Number(value);
    if (Number.isSafeInteger(number)) this.#safeNumeric(number);
    else this.numericText(String(value));
  }

  /** A decimal integer of any length. */
  numericText(value: string): void {
    const sign = value.startsWith('-') ? 1 : 0;
    const groups = Math.ceil((value.length - sign) / DIGITS);
    this.#beginNumeric(groups, sign === 1);
    for (let left = groups; left > 0; left--) {
      const end = value.length - (left - 1) * DIGITS;
      this.#put16(Number(value.slice(Math.max(sign, end - DIGITS), end)));
    }
  }

  #safeNumeric(value: number): void {
    let rest = Math.abs(value);
    let groups = 1;
    for (let above = BASE; above <= rest; above *= BASE) groups++;
    this.#beginNumeric(groups, value < 0);
    for (let at = this.#length + 2 * groups; at > this.#length; rest = Math.floor(rest / BASE)) {
      at -= 2;
      this.#view.setInt16(at, rest % BASE);
    }
    this.#length += 2 * groups;
  }

  /** Number of digits, weight of the first one, sign, digits after the decimal point. */
  #beginNumeric(groups: number, isNegative: boolean): void {
    this.#begin(8 + 2 * groups);
    this.#put16(groups);
    this.#put16(groups - 1);
    this.#put16(isNegative ? NEGATIVE : 0);
    this.#put16(0);
  }

  #begin(length: number): void {
    this.#reserve(FIXED_BYTES + length);
    this.#put32(length);
  }

  #put16(value: number): void {
    this.#view.setInt16(this.#length, value);
    this.#length += 2;
  }

  #put32(value: number): void {
    this.#view.setInt32(this.#length, value);
    this.#length += 4;
  }

  #reserve(bytes: number): void {
    if (this.#length + bytes <= this.#bytes.length) return;
    const grown = Buffer.allocUnsafe(Math.max(2 * this.#bytes.length, this.#length + bytes));
    this.#bytes.copy(grown, 0, 0, this.#length);
    this.#use(grown);
  }

  #use(bytes: Buffer<ArrayBuffer>): void {
    this.#bytes = bytes;
    this.#view = viewOf(bytes);
  }
}

function viewOf({ buffer, byteOffset, length }: Buffer): DataView {
  return new DataView(buffer, byteOffset, length);
}

/** Checks only short texts: the search is not worth it for longer ones. */
function isAscii(value: string): boolean {
  if (value.length > SHORT_TEXT) return false;
  for (let at = 0; at < value.length; at++) if (value.charCodeAt(at) > 127) return false;
  return true;
}
