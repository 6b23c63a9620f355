// Rows as a binary COPY carries them, put together in a buffer that grows.

/** Signature, flags and length of the extension. */
const HEADER = Buffer.from('PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0', 'latin1');
const NO_MORE_ROWS = -1;
const NULL = -1;
const FIRST_CAPACITY = 64 * 1_024;
/** Enough for every value of fixed length, with its own length. */
const FIXED_BYTES = 12;
const UINT32 = 2 ** 32;
/** PostgreSQL's numeric has digits of base 10,000. */
const DIGITS = 4;
const NEGATIVE = 0x4000;

export class CopyBytes {
  #bytes = Buffer.allocUnsafe(FIRST_CAPACITY);
  #length = HEADER.copy(this.#bytes);

  get length(): number {
    return this.#length;
  }

  /** Returns what was written since the last call; what comes next continues it. */
  take(): Buffer {
    const taken = this.#bytes.subarray(0, this.#length);
    this.#bytes = Buffer.allocUnsafe(this.#bytes.length);
    this.#length = 0;
    return taken;
  }

  row(columns: number): void {
    this.#reserve(FIXED_BYTES * columns);
    this.#length = this.#bytes.writeInt16BE(columns, this.#length);
  }

  end(): void {
    this.row(NO_MORE_ROWS);
  }

  null(): void {
    this.#reserve(FIXED_BYTES);
    this.#length = this.#bytes.writeInt32BE(NULL, this.#length);
  }

  flag(value: boolean): void {
    this.#begin(1);
    this.#length = this.#bytes.writeInt8(value ? 1 : 0, this.#length);
  }

  int16(value: number): void {
    this.#begin(2);
    this.#length = this.#bytes.writeInt16BE(value, this.#length);
  }

  int32(value: number): void {
    this.#begin(4);
    this.#length = this.#bytes.writeInt32BE(value, this.#length);
  }

  /** The value is at most 2^53. */
  int64(value: number): void {
    this.#begin(8);
    const high = Math.floor(value / UINT32);
    this.#length = this.#bytes.writeInt32BE(high, this.#length);
    this.#length = this.#bytes.writeUInt32BE(value - high * UINT32, this.#length);
  }

  bigint64(value: bigint): void {
    this.#begin(8);
    this.#length = this.#bytes.writeBigInt64BE(value, this.#length);
  }

  /** `0x` and hex digits. */
  hex(value: string): void {
    const bytes = (value.length - 2) / 2;
    this.#begin(bytes);
    this.#length += this.#bytes.write(value.slice(2), this.#length, bytes, 'hex');
  }

  text(value: string): void {
    const bytes = Buffer.byteLength(value);
    this.#begin(bytes);
    this.#length += this.#bytes.write(value, this.#length, bytes, 'utf8');
  }

  /** A decimal integer of any length. */
  numeric(value: string): void {
    const sign = value.startsWith('-') ? 1 : 0;
    const groups = Math.ceil((value.length - sign) / DIGITS);
    this.#begin(8 + 2 * groups);
    // Number of digits, weight of the first one, sign, digits after the point.
    this.#length = this.#bytes.writeInt16BE(groups, this.#length);
    this.#length = this.#bytes.writeInt16BE(groups - 1, this.#length);
    this.#length = this.#bytes.writeInt16BE(sign * NEGATIVE, this.#length);
    this.#length = this.#bytes.writeInt16BE(0, this.#length);
    for (let left = groups; left > 0; left--) {
      const end = value.length - (left - 1) * DIGITS;
      const digit = Number(value.slice(Math.max(sign, end - DIGITS), end));
      this.#length = this.#bytes.writeInt16BE(digit, this.#length);
    }
  }

  #begin(length: number): void {
    this.#reserve(FIXED_BYTES + length);
    this.#length = this.#bytes.writeInt32BE(length, this.#length);
  }

  #reserve(bytes: number): void {
    if (this.#length + bytes <= this.#bytes.length) return;
    const grown = Buffer.allocUnsafe(Math.max(2 * this.#bytes.length, this.#length + bytes));
    this.#bytes.copy(grown, 0, 0, this.#length);
    this.#bytes = grown;
  }
}
