// Texts that resemble each other, stored as bytes: parts shared with a reference are copied from it, and hex takes half its length.
import { grownFloat64, grownInt32 } from './grown.ts';

const FIRST_CAPACITY = 16;
const FIRST_BYTES = 4_096;
/** Kinds of pieces. A piece begins with its length and kind, as one variable-length number. */
const LITERAL = 0;
const WIDE = 1;
const HEX = 2;
const COPY = 3;
const KINDS = 4;
/** Shorter copies or runs of hex gain nothing over their characters. */
const LEAST_COPY = 8;
const LEAST_HEX = 8;
const NO_REFERENCE = -1;
/** A text that gains less than this share from the reference becomes the next one. */
const WORTHWHILE = 0.5;
/** Number of cached references: consecutive texts of one kind nearly all have the same. */
const MOST_AT_HAND = 32;

const HEX_DIGITS = '0123456789abcdef';
/** Value of a digit by its character code; NO_DIGIT for any other character. */
const NO_DIGIT = 16;
const VALUES = Uint8Array.from({ length: 128 }, (_, code) => {
  const value = HEX_DIGITS.indexOf(String.fromCharCode(code));
  return value < 0 ? NO_DIGIT : value;
});
const PAIRS = Array.from({ length: 256 }, (_, byte) => `${HEX_DIGITS[byte >> 4]}${HEX_DIGITS[byte & 15]}`);

export interface TextsImage {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** End of each text, and the text that it refers to. */
  readonly ends: Float64Array;
  readonly references: Int32Array;
}

/** Append-only, so that several engines share one. */
export class SimilarTexts {
  #bytes = new Uint8Array(FIRST_BYTES);
  #used = 0;
  #ends = new Float64Array(FIRST_CAPACITY);
  #references = new Int32Array(FIRST_CAPACITY);
  #count = 0;
  /** Reference for the next text. */
  #current = NO_REFERENCE;
  readonly #atHand = new Map<number, Reference>();

  get count(): number {
    return this.#count;
  }

  /** Returns the number of the text. */
  add(text: string): number {
    const index = this.#count++;
    if (index >= this.#ends.length) {
      this.#ends = grownFloat64(this.#ends, 2 * index);
      this.#references = grownInt32(this.#references, 2 * index);
    }
    const start = this.#used;
    this.#references[index] = this.#current;
    if (this.#current !== NO_REFERENCE) this.#write(text, this.#reference(this.#current));
    if (this.#current === NO_REFERENCE || this.#used - start > text.length * WORTHWHILE) {
      this.#used = start;
      this.#write(text);
      this.#references[index] = NO_REFERENCE;
      this.#current = index;
    }
    this.#ends[index] = this.#used;
    return index;
  }

  read(index: number): string {
    const reference = this.#references[index]!;
    return this.#decode(index, reference === NO_REFERENCE ? '' : this.#reference(reference).text);
  }

  /** Views of the memory of the first texts, which never changes. */
  image(count: number): TextsImage {
    const ends = this.#ends.subarray(0, count);
    return { bytes: this.#bytes.subarray(0, ends.at(-1) ?? 0), ends, references: this.#references.subarray(0, count) };
  }

  static ofImage({ bytes, ends, references }: TextsImage): SimilarTexts {
    const texts = new SimilarTexts();
    if (ends.length === 0) return texts;
    texts.#bytes = bytes;
    texts.#used = bytes.length;
    texts.#ends = new Float64Array(ends);
    texts.#references = new Int32Array(references);
    texts.#count = ends.length;
    texts.#current = references.lastIndexOf(NO_REFERENCE);
    return texts;
  }

  #reference(index: number): Reference {
    const known = this.#atHand.get(index);
    if (known !== undefined) return known;
    const [oldest] = this.#atHand.keys();
    if (oldest !== undefined && this.#atHand.size >= MOST_AT_HAND) this.#atHand.delete(oldest);
    const reference = new Reference(this.#decode(index, ''));
    this.#atHand.set(index, reference);
    return reference;
  }

  #decode(index: number, reference: string): string {
    const bytes = this.#bytes;
    const end = this.#ends[index]!;
    let at = index === 0 ? 0 : this.#ends[index - 1]!;
    let text = '';
    const readNumber = (): number => {
      let [value, scale] = [0, 1];
      for (; bytes[at]! > 127; scale *= 128) value += (bytes[at++]! - 128) * scale;
      return value + bytes[at++]! * scale;
    };
    while (at < end) {
      const head = readNumber();
      const length = Math.floor(head / KINDS);
      const kind = head % KINDS;
      if (kind === COPY) {
        const from = readNumber();
        text += reference.slice(from, from + length);
      } else if (kind === HEX) for (const last = at + length; at < last; ) text += PAIRS[bytes[at++]!];
      else if (kind === LITERAL) for (const last = at + length; at < last; ) text += String.fromCharCode(bytes[at++]!);
      else
        for (const last = at + 2 * length; at < last; at += 2)
          text += String.fromCharCode(bytes[at]! * 256 + bytes[at + 1]!);
    }
    return text;
  }

  #write(text: string, reference?: Reference): void {
    // A wide character takes two bytes, and a piece of one character two more.
    this.#reserve(4 * text.length + 16);
    let literalAt = 0;
    for (let at = 0; at < text.length; ) {
      const from = reference?.find(text, at) ?? -1;
      const copied = from < 0 ? 0 : reference!.lengthOf(text, at, from);
      const digits = copied > 0 ? 0 : hexLength(text, at);
      if (copied === 0 && digits === 0) {
        at++;
        continue;
      }
      this.#writeLiteral(text, literalAt, at);
      if (copied > 0) this.#writeNumbers(copied * KINDS + COPY, from);
      else this.#writeHex(text, at, digits);
      at += copied + digits;
      literalAt = at;
    }
    this.#writeLiteral(text, literalAt, text.length);
  }

  #writeHex(text: string, from: number, digits: number): void {
    this.#writeNumbers((digits / 2) * KINDS + HEX);
    for (let at = from; at < from + digits; at += 2) {
      this.#bytes[this.#used++] = VALUES[text.charCodeAt(at)]! * 16 + VALUES[text.charCodeAt(at + 1)]!;
    }
  }

  #writeLiteral(text: string, from: number, to: number): void {
    if (from === to) return;
    let isWide = false;
    for (let at = from; at < to; at++) isWide ||= text.charCodeAt(at) > 255;
    this.#writeNumbers((to - from) * KINDS + (isWide ? WIDE : LITERAL));
    for (let at = from; at < to; at++) {
      const code = text.charCodeAt(at);
      if (isWide) this.#bytes[this.#used++] = code >> 8;
      this.#bytes[this.#used++] = code;
    }
  }

  #writeNumbers(...values: readonly number[]): void {
    for (const value of values) {
      let rest = value;
      for (; rest > 127; rest = Math.floor(rest / 128)) this.#bytes[this.#used++] = (rest % 128) + 128;
      this.#bytes[this.#used++] = rest;
    }
  }

  #reserve(more: number): void {
    if (this.#used + more <= this.#bytes.length) return;
    // Grows by a quarter only: this is the largest memory of closed markets.
    const grown = new Uint8Array(Math.ceil((this.#used + more) * 1.25));
    grown.set(this.#bytes.subarray(0, this.#used));
    this.#bytes = grown;
  }
}

/** Length of a run of lower-case digits from an index on, rounded down to even; 0 if it is too short. */
function hexLength(text: string, from: number): number {
  let at = from;
  while (at < text.length && (VALUES[text.charCodeAt(at)] ?? NO_DIGIT) < NO_DIGIT) at++;
  const digits = at - from - ((at - from) % 2);
  return digits < LEAST_HEX ? 0 : digits;
}

/** A text from which others copy. */
class Reference {
  readonly text: string;
  #places: Map<string, number> | undefined;

  constructor(text: string) {
    this.text = text;
  }

  /** Index of the characters at this place of another text; -1 if they do not occur. */
  find(other: string, at: number): number {
    this.#places ??= this.#index();
    return this.#places.get(other.slice(at, at + LEAST_COPY)) ?? -1;
  }

  /** Number of characters for which both texts agree. */
  lengthOf(other: string, at: number, from: number): number {
    let length = LEAST_COPY;
    while (at + length < other.length && other.charCodeAt(at + length) === this.text.charCodeAt(from + length))
      length++;
    return length;
  }

  #index(): Map<string, number> {
    const places = new Map<string, number>();
    for (let at = this.text.length - LEAST_COPY; at >= 0; at--) places.set(this.text.slice(at, at + LEAST_COPY), at);
    return places;
  }
}
