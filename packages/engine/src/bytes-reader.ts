// Fields of a binary journal record, read one after another: every value is checked, as `RecordReader` of the protocol does.

export class BytesReader {
  bytes: Uint8Array = new Uint8Array(0);
  at = 0;

  begin(bytes: Uint8Array): void {
    this.bytes = bytes;
    this.at = 1;
  }

  byte(): number {
    const byte = this.bytes[this.at++];
    if (byte === undefined) throw new RangeError('the record ends early');
    return byte;
  }

  integer(least: number, most: number = Number.MAX_SAFE_INTEGER): number {
    let value = 0;
    let scale = 1;
    for (;;) {
      const byte = this.byte();
      value += (byte & 127) * scale;
      if (byte < 128) break;
      scale *= 128;
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

  copy(to: Uint8Array, offset: number, length: number): void {
    const { bytes } = this;
    const start = this.skip(length);
    for (let each = 0; each < length; each++) to[offset + each] = bytes[start + each]!;
  }

  /** Where the next bytes begin, which are then behind. */
  skip(length: number): number {
    const start = this.at;
    this.at = start + length;
    if (this.at > this.bytes.length) throw new RangeError('the record ends early');
    return start;
  }

  /** Passes a text of one byte of length if it is this one, in ASCII; stays where it is otherwise. */
  isText(text: string): boolean {
    const { bytes, at } = this;
    if (bytes[at] !== text.length) return false;
    for (let each = 0; each < text.length; each++) if (bytes[at + 1 + each] !== text.charCodeAt(each)) return false;
    this.at = at + 1 + text.length;
    return true;
  }

  end(): void {
    if (this.at !== this.bytes.length) throw new RangeError(`${this.bytes.length - this.at} bytes too many`);
  }
}
