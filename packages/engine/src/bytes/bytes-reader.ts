// Reads the fields of a binary journal record in sequence and checks every value, like `RecordReader` of the protocol.
import { IS_LITTLE } from './event-bytes.ts';

export class BytesReader {
  bytes: Uint8Array = new Uint8Array(0);
  at = 0;
  /** The buffer that contains the bytes; records of a frame share one. */
  #view: DataView = new DataView(new ArrayBuffer(0));

  #end = 0;

  /** Begins after the tag of a record in `bytes` from `start` to `end`. */
  begin(bytes: Uint8Array, start: number, end: number): void {
    this.bytes = bytes;
    this.at = start + 1;
    this.#end = end;
    if (this.#view.buffer !== bytes.buffer) this.#view = new DataView(bytes.buffer);
  }

  byte(): number {
    if (this.at >= this.#end) throw new RangeError('the record ends early');
    return this.bytes[this.at++]!;
  }

  integer(least: number, most: number = Number.MAX_SAFE_INTEGER): number {
    let byte = this.byte();
    let value = byte & 127;
    for (let scale = 128; byte > 127; scale *= 128) {
      byte = this.byte();
      value += (byte & 127) * scale;
    }
    if (value < least || value > most) throw new RangeError(`${value} is out of range`);
    return value;
  }

  /** Reads an integer of 64 bits into two words, the lower first. */
  pair(words: Int32Array, at: number): void {
    let [low, high] = [0, 0];
    for (let shift = 0; ; shift += 7) {
      const byte = this.byte();
      const bits = byte & 127;
      if (shift > 63 || (shift === 63 && bits > 1)) throw new RangeError('a number is no uint64');
      if (shift < 32) low |= bits << shift;
      if (shift > 31) high |= bits << (shift - 32);
      else if (shift > 25) high |= bits >>> (32 - shift);
      if (byte < 128) break;
    }
    words[at] = low;
    words[at + 1] = high;
  }

  /** Copies this many words in their memory representation. */
  copyWords(to: Int32Array, word: number, count: number): void {
    const start = this.bytes.byteOffset + this.skip(4 * count);
    const view = this.#view;
    for (let each = 0; each < count; each++) to[word + each] = view.getInt32(start + 4 * each, IS_LITTLE);
  }

  /** Advances past the next bytes and returns where they begin. */
  skip(length: number): number {
    const start = this.at;
    this.at = start + length;
    if (this.at > this.#end) throw new RangeError('the record ends early');
    return start;
  }

  /** Skips a length-prefixed ASCII text if it equals this one; stays in place otherwise. */
  isText(text: string): boolean {
    const { bytes, at } = this;
    if (bytes[at] !== text.length || at + text.length >= this.#end) return false;
    for (let each = 0; each < text.length; each++) if (bytes[at + 1 + each] !== text.charCodeAt(each)) return false;
    this.at = at + 1 + text.length;
    return true;
  }

  end(): void {
    if (this.at !== this.#end) throw new RangeError(`${this.#end - this.at} bytes too many`);
  }
}
