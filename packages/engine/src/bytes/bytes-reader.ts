// Fields of a binary journal record, read one after another: every value is checked, as `RecordReader` of the protocol does.
import { IS_LITTLE } from './event-bytes.ts';

export class BytesReader {
  bytes: Uint8Array = new Uint8Array(0);
  at = 0;
  /** The buffer that the bytes are a part of: records of a frame share one. */
  #view: DataView = new DataView(new ArrayBuffer(0));

  #end = 0;

  /** Behind the tag of a record that lies in `bytes` from `start` to `end`. */
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

  /** An integer of 64 bits into two words, the lower first. */
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

  /** So many words, as their bytes are in memory. */
  copyWords(to: Int32Array, word: number, count: number): void {
    const start = this.bytes.byteOffset + this.skip(4 * count);
    const view = this.#view;
    for (let each = 0; each < count; each++) to[word + each] = view.getInt32(start + 4 * each, IS_LITTLE);
  }

  /** Where the next bytes begin, which are then behind. */
  skip(length: number): number {
    const start = this.at;
    this.at = start + length;
    if (this.at > this.#end) throw new RangeError('the record ends early');
    return start;
  }

  /** Passes a text of one byte of length if it is this one, in ASCII; stays where it is otherwise. */
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
