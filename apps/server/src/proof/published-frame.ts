// Published frames and pages: kept as bytes and written as JSON in pieces, so that no answer is in memory as a whole.
import { decodeFrame, encodeFrame, type Frame } from '@presage/journal';
import {
  decodeRecord,
  type JournalRecord,
  type SignedFrame,
  stringifyJson,
  toAcceptedJson,
  toHex,
} from '@presage/protocol';

/** Bytes per piece; a multiple of three, so that the pieces of base64 can be joined. */
const PIECE_BYTES = 48 * 1_024;

export class PublishedFrame {
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly #start: string;
  /** Bytes of the frame; a copy, because a frame's records are views of a larger part of its file. */
  readonly #bytes: Uint8Array;
  readonly #isDecoded: boolean;

  constructor(frame: Frame, isDecoded: boolean) {
    const { firstSeq, lastSeq, timeMs } = frame;
    this.firstSeq = firstSeq;
    this.lastSeq = lastSeq;
    this.#isDecoded = isDecoded;
    this.#bytes = encodeFrame(frame, frame.records);
    const [hash, previousHash] = [toHex(frame.hash), toHex(frame.previousHash)];
    this.#start = stringifyJson({ firstSeq, lastSeq, timeMs, hash, previousHash }).slice(0, -1);
  }

  /** Memory of the frame in bytes. */
  get heldBytes(): number {
    return this.#bytes.length;
  }

  /** JSON of the frame, in pieces of any length. */
  *json(): Generator<string> {
    yield `${this.#start},"bytes":"`;
    const { buffer, byteOffset, length } = this.#bytes;
    for (let at = 0; at < length; at += PIECE_BYTES) {
      yield Buffer.from(buffer, byteOffset + at, Math.min(PIECE_BYTES, length - at)).toString('base64');
    }
    yield '"';
    if (this.#isDecoded) yield* this.#records();
    yield '}';
  }

  *#records(): Generator<string> {
    const frame = decodeFrame(this.#bytes);
    if ('fault' in frame) throw new Error(`A frame that was just written has a bad ${frame.fault}.`);
    let separator = ',"records":[';
    for (const [index, record] of frame.records.entries()) {
      yield separator + stringifyJson(toReadable(this.firstSeq + index, decodeRecord(record)));
      separator = ',';
    }
    yield ']';
  }
}

/** Formats a record in the journal's JSON form. */
function toReadable(seq: number, record: JournalRecord): object {
  return { seq, ...(record.type === 'order-accepted' ? toAcceptedJson(record) : record) };
}

interface PageEnd {
  readonly nextSeq: number;
  readonly publishedSeq: number;
  readonly head: SignedFrame | null;
}

/** A page: whole frames, the start of the next page, and the signed head. */
export class PublishedPage {
  readonly frames: readonly PublishedFrame[];
  readonly nextSeq: number;
  readonly #start: string;
  readonly #end: string;

  constructor(partition: string, frames: readonly PublishedFrame[], end: PageEnd) {
    this.frames = frames;
    this.nextSeq = end.nextSeq;
    this.#start = `{"partition":${stringifyJson(partition)},"frames":[`;
    this.#end = `],${stringifyJson(end).slice(1)}`;
  }

  /** JSON of the page in pieces of any length, each built when the previous one is taken. */
  *json(): Generator<string> {
    yield this.#start;
    for (const [index, frame] of this.frames.entries()) {
      if (index > 0) yield ',';
      yield* frame.json();
    }
    yield this.#end;
  }
}
