// Events as the bytes of their journal records, concatenated in one buffer: the layouts of `hot-records.ts`, written without objects.

const FIRST_CAPACITY = 4_096;
/** Upper bound of a record written here. */
const MOST_BYTES = 512;
const FIRST_RECORDS = 64;
/** Returned bytes are parts of pages of this length: a separate buffer per record would cost the collector more than the record. */
const PAGE_BYTES = 16_384;

/** Byte order of this machine. */
export const IS_LITTLE = new Uint8Array(Int32Array.of(1).buffer)[0] === 1;

export class EventBytes {
  bytes = new Uint8Array(FIRST_CAPACITY);
  #view = new DataView(this.bytes.buffer);
  /** End of each record; a record not written here is empty. */
  #ends = new Int32Array(FIRST_RECORDS);
  #at = 0;
  count = 0;
  /** Bytes that were returned are never overwritten. */
  #page = new Uint8Array(0);
  #pageAt = 0;

  clear(): void {
    this.#at = 0;
    this.count = 0;
  }

  /** Returns a permanent copy of the bytes of every record; undefined for an event that is not written as bytes. */
  takeAll(): (Uint8Array | undefined)[] {
    const page = this.#copyOut();
    const first = this.#pageAt - this.#at;
    const taken = new Array<Uint8Array | undefined>(this.count);
    let start = 0;
    for (let index = 0; index < this.count; index++) {
      const end = this.#ends[index]!;
      taken[index] = start === end ? undefined : page.subarray(first + start, first + end);
      start = end;
    }
    return taken;
  }

  #copyOut(): Uint8Array {
    if (this.#pageAt + this.#at > this.#page.length) {
      this.#page = new Uint8Array(Math.max(PAGE_BYTES, this.#at));
      this.#pageAt = 0;
    }
    this.#page.set(this.bytes.subarray(0, this.#at), this.#pageAt);
    this.#pageAt += this.#at;
    return this.#page;
  }

  begin(tag: number): void {
    if (this.#at + MOST_BYTES > this.bytes.length) {
      const grown = new Uint8Array(this.bytes.length * 2);
      grown.set(this.bytes);
      this.bytes = grown;
      this.#view = new DataView(grown.buffer);
    }
    this.byte(tag);
  }

  end(): void {
    if (this.count === this.#ends.length) {
      const grown = new Int32Array(this.count * 2);
      grown.set(this.#ends);
      this.#ends = grown;
    }
    this.#ends[this.count++] = this.#at;
  }

  byte(value: number): void {
    this.bytes[this.#at++] = value;
  }

  /** Variable-length integer: seven bits per byte, lowest first. */
  integer(value: number): void {
    const { bytes } = this;
    let at = this.#at;
    let rest = value;
    while (rest > 0x7fffffff) {
      const above = Math.floor(rest / 128);
      bytes[at++] = (rest - above * 128) | 128;
      rest = above;
    }
    let small = rest | 0;
    while (small > 127) {
      bytes[at++] = (small & 127) | 128;
      small >>>= 7;
    }
    bytes[at++] = small;
    this.#at = at;
  }

  /** An integer of 64 bits, given as two words. */
  pair(low: number, high: number): void {
    let [rest, above] = [low >>> 0, high >>> 0];
    while (above > 0 || rest > 127) {
      this.bytes[this.#at++] = (rest & 127) | 128;
      rest = ((rest >>> 7) | ((above & 127) << 25)) >>> 0;
      above >>>= 7;
    }
    this.bytes[this.#at++] = rest;
  }

  /** Writes this many words in their memory representation. */
  copyWords(from: Int32Array, start: number, count: number): void {
    const view = this.#view;
    const at = this.#at;
    for (let each = 0; each < count; each++) view.setInt32(at + 4 * each, from[start + each]!, IS_LITTLE);
    this.#at = at + 4 * count;
  }

  /** ASCII text without its length. */
  ascii(text: string): void {
    const { bytes } = this;
    let at = this.#at;
    for (let each = 0; each < text.length; each++) bytes[at++] = text.charCodeAt(each);
    this.#at = at;
  }

  /** The decimal digits of a positive integer. */
  decimal(value: number, digits: number): void {
    let rest = value;
    for (let at = this.#at + digits - 1; at >= this.#at; at--) {
      const above = Math.floor(rest / 10);
      this.bytes[at] = 48 + (rest - above * 10);
      rest = above;
    }
    this.#at += digits;
  }
}

export function countDigits(value: number): number {
  let digits = 1;
  for (let bound = 10; bound <= value; bound *= 10) digits++;
  return digits;
}
