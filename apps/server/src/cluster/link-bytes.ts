// Writes and reads the bytes of messages between nodes: one reused buffer for writing, every length checked when reading.
import { parseJson, stringifyJson } from '@presage/protocol';

/** Integers take seven bits a byte, so that counts and sequences are short. */
const CONTINUED = 128;
const FIRST_CAPACITY = 64 * 1024;
/** A buffer that grew beyond this for one large message is released after it. */
const KEPT_CAPACITY = 1024 * 1024;
const LONGEST_INTEGER = 10;

/** The bytes are not a message of this version. */
export class MessageInvalid extends Error {
  override readonly name = 'MessageInvalid';
}

export class LinkWriter {
  #bytes = Buffer.allocUnsafe(FIRST_CAPACITY);
  #at = 0;

  begin(): this {
    if (this.#bytes.length > KEPT_CAPACITY) this.#bytes = Buffer.allocUnsafe(FIRST_CAPACITY);
    this.#at = 0;
    return this;
  }

  byte(value: number): this {
    this.#room(1);
    this.#bytes[this.#at++] = value;
    return this;
  }

  flag(value: boolean): this {
    return this.byte(value ? 1 : 0);
  }

  /** A non-negative integer. */
  integer(value: number): this {
    if (!Number.isSafeInteger(value) || value < 0) throw new RangeError(`${value} cannot be sent to a node`);
    this.#room(LONGEST_INTEGER);
    let rest = value;
    while (rest >= CONTINUED) {
      this.#bytes[this.#at++] = (rest % CONTINUED) | CONTINUED;
      rest = Math.floor(rest / CONTINUED);
    }
    this.#bytes[this.#at++] = rest;
    return this;
  }

  block(bytes: Uint8Array): this {
    this.integer(bytes.length);
    this.#room(bytes.length);
    this.#bytes.set(bytes, this.#at);
    this.#at += bytes.length;
    return this;
  }

  text(text: string): this {
    const length = Buffer.byteLength(text);
    this.integer(length);
    this.#room(length);
    this.#at += this.#bytes.write(text, this.#at);
    return this;
  }

  /** For rare messages. `undefined` is an empty text. */
  json(value: unknown): this {
    return this.text(value === undefined ? '' : stringifyJson(value));
  }

  list<T>(items: readonly T[], write: (item: T) => void): this {
    this.integer(items.length);
    for (const item of items) write(item);
    return this;
  }

  /** Valid until the next `begin`. */
  end(): Uint8Array {
    return this.#bytes.subarray(0, this.#at);
  }

  #room(bytes: number): void {
    if (this.#at + bytes <= this.#bytes.length) return;
    const grown = Buffer.allocUnsafe(Math.max(2 * this.#bytes.length, this.#at + bytes));
    this.#bytes.copy(grown, 0, 0, this.#at);
    this.#bytes = grown;
  }
}

export class LinkReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  byte(): number {
    const byte = this.#bytes[this.#at++];
    if (byte === undefined) throw new MessageInvalid('a message ends early');
    return byte;
  }

  flag(): boolean {
    const byte = this.byte();
    if (byte > 1) throw new MessageInvalid(`${byte} is no flag`);
    return byte === 1;
  }

  integer(): number {
    let [value, scale] = [0, 1];
    for (let byte = this.byte(); ; byte = this.byte(), scale *= CONTINUED) {
      value += (byte % CONTINUED) * scale;
      if (!Number.isSafeInteger(value)) throw new MessageInvalid('a number is too large');
      if (byte < CONTINUED) return value;
    }
  }

  /** Returns a view, since nothing else uses the bytes of a message. */
  block(): Uint8Array {
    const [start, end] = this.#skip();
    return new Uint8Array(this.#bytes.buffer, this.#bytes.byteOffset + start, end - start);
  }

  text(): string {
    const [start, end] = this.#skip();
    return this.#bytes.toString('utf8', start, end);
  }

  json(): unknown {
    const text = this.text();
    return text === '' ? undefined : parseJson(text);
  }

  list<T>(read: () => T): T[] {
    const count = this.integer();
    // Every item takes at least one byte, so a false count cannot allocate much memory.
    if (count > this.#bytes.length - this.#at) throw new MessageInvalid(`a list of ${count} is too long`);
    const items: T[] = [];
    for (let index = 0; index < count; index++) items.push(read());
    return items;
  }

  /** Throws if bytes are left. */
  end(): void {
    const left = this.#bytes.length - this.#at;
    if (left !== 0) throw new MessageInvalid(`a message has ${left} bytes too many`);
  }

  #skip(): [start: number, end: number] {
    const length = this.integer();
    const start = this.#at;
    if (start + length > this.#bytes.length) throw new MessageInvalid('a message ends early');
    this.#at = start + length;
    return [start, this.#at];
  }
}
