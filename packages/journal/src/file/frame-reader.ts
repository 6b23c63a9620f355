// Reads the frames of one segment file in order, in large pieces, each checked and chained to the previous one; and
// inspects the bytes after the last.
import type { JournalCorrupt } from '../errors.ts';
import {
  FRAME_HEADER_BYTES,
  FRAME_MAGIC,
  type Frame,
  type FrameFault,
  hashAhead,
  type ParsedFrame,
  parseFrame,
  peekFrameLength,
  readHeader,
  withHash,
} from '../frame.ts';
import { type FrameChain, NO_HASH } from '../frame-chain.ts';
import { type JournalFile, readFully } from './files.ts';

const PIECE_BYTES = 1024 * 1024;

export interface FrameReaderOptions {
  file: JournalFile;
  path: string;
  chain: FrameChain;
  size: number;
  position: number;
}

/** Bounds for reading ahead: while one frame is applied, other threads hash the next ones. */
const MOST_FRAMES_AHEAD = 16;
const MOST_BYTES_AHEAD = 4 * 1024 * 1024;

interface FrameAhead {
  readonly parsed: ParsedFrame | FrameFault;
  readonly length: number;
  readonly hash: Uint8Array | Promise<Uint8Array>;
}

export class FrameReader {
  readonly #options: FrameReaderOptions;
  /** Position of the next frame. */
  position: number;
  readonly #ahead: FrameAhead[] = [];
  /** Position of the first frame that was not read ahead. */
  #endOfAhead: number;
  /** Grows with use, since many readers need only one frame. */
  #framesAhead = 1;
  #isAtEnd = false;
  #piece: Uint8Array = new Uint8Array(0);
  #pieceAt = 0;

  constructor(options: FrameReaderOptions) {
    this.#options = options;
    this.position = options.position;
    this.#endOfAhead = options.position;
  }

  /**
   * The next frame; undefined at the end, at a torn tail or at damage, which `inspectRest` distinguishes. A frame with
   * a valid checksum that does not belong here cannot come from a crash, and is refused.
   */
  async next(): Promise<Frame | undefined> {
    await this.#lookAhead();
    const found = this.#ahead.shift();
    if (found === undefined) return undefined;
    const { parsed, hash, length } = found;
    if ('fault' in parsed) {
      if (parsed.fault === 'version')
        throw this.#corrupt('a frame of an unknown format version; use the release that wrote it');
      if (parsed.fault === 'layout') throw this.#corrupt('a frame with a good checksum that makes no sense');
      return undefined;
    }
    const frame = withHash(parsed, await hash);
    const breach = this.#options.chain.breach(frame);
    if (breach) throw this.#corrupt(breach);
    this.#options.chain.advance(frame);
    this.position += length;
    return frame;
  }

  async #lookAhead(): Promise<void> {
    while (!this.#isAtEnd && this.#hasRoomAhead()) {
      const bytes = await this.#frameBytes();
      const parsed = bytes && parseFrame(bytes);
      if (bytes === undefined || parsed === undefined) this.#isAtEnd = true;
      else {
        const isBad = 'fault' in parsed;
        this.#isAtEnd = isBad;
        this.#ahead.push({ parsed, length: bytes.length, hash: isBad ? NO_HASH : hashAhead(bytes) });
        this.#endOfAhead += bytes.length;
      }
    }
    this.#framesAhead = Math.min(2 * this.#framesAhead, MOST_FRAMES_AHEAD);
  }

  #hasRoomAhead(): boolean {
    const bytesAhead = this.#endOfAhead - this.position;
    return this.#ahead.length === 0 || (this.#ahead.length < this.#framesAhead && bytesAhead < MOST_BYTES_AHEAD);
  }

  async #frameBytes(): Promise<Uint8Array | undefined> {
    const header = await this.#bytes(FRAME_HEADER_BYTES);
    const length = header && peekFrameLength(header, 0);
    return length === undefined ? undefined : this.#bytes(length);
  }

  // Returned frames are views of a piece, so a piece is never reused for other bytes.
  async #bytes(length: number): Promise<Uint8Array | undefined> {
    const { file, size } = this.#options;
    const from = this.#endOfAhead;
    if (from + length > size) return undefined;
    const start = from - this.#pieceAt;
    if (start + length <= this.#piece.length) return this.#piece.subarray(start, start + length);
    const wanted = Math.min(Math.max(PIECE_BYTES, length), size - from);
    const piece = new Uint8Array(Buffer.allocUnsafeSlow(wanted).buffer);
    const kept = this.#piece.subarray(start);
    piece.set(kept);
    const got = await readFully(file, piece.subarray(kept.length), from + kept.length);
    this.#piece = piece.subarray(0, kept.length + got);
    this.#pieceAt = from;
    return this.#piece.length < length ? undefined : this.#piece.subarray(0, length);
  }

  #corrupt(reason: string): JournalCorrupt {
    return this.#options.chain.corrupt(this.#options.path, this.position, reason);
  }
}

const ZEROS = new Uint8Array(PIECE_BYTES);

export interface RestOptions {
  file: JournalFile;
  size: number;
  /** End of the last complete frame. */
  from: number;
  partition: string | undefined;
  expectedSeq: number;
}

/**
 * The bytes after the last complete frame of a segment: none, the remains of one torn frame, or proof of lost history.
 */
export interface Rest {
  /** Position after the last nonzero byte; equal to `from` if all are zero. */
  readonly end: number;
  /** Position of a later frame of this partition, if there is one. */
  readonly laterFrameAt: number | undefined;
}

/**
 * At most one frame is in flight, so a crash can damage only the last. A header of this partition with a later
 * sequence, even one with a damaged payload, therefore proves that the bad frame here was durable. Searches for headers
 * rather than using the bad frame's length, which may itself be the damaged field.
 */
export async function inspectRest(options: RestOptions): Promise<Rest> {
  const { file, size, from } = options;
  const piece = Buffer.allocUnsafeSlow(Math.min(PIECE_BYTES, Math.max(size - from, 1)));
  let end = from;
  for (let at = from; at < size; ) {
    const got = await readFully(file, piece.subarray(0, Math.min(piece.length, size - at)), at);
    const bytes = piece.subarray(0, got);
    const used = lengthWithoutZeros(bytes);
    if (used > 0) end = at + used;
    const found = used > 0 ? findLaterHeader(bytes, at === from ? 1 : 0, options) : undefined;
    if (found !== undefined) return { end, laterFrameAt: at + found };
    if (got === 0 || at + got >= size) break;
    // Pieces overlap, so that a header across their border is found.
    at += Math.max(got - FRAME_HEADER_BYTES + 1, 1);
  }
  return { end, laterFrameAt: undefined };
}

function findLaterHeader(bytes: Buffer, from: number, options: RestOptions): number | undefined {
  for (let at = bytes.indexOf(FRAME_MAGIC, from); at !== -1; at = bytes.indexOf(FRAME_MAGIC, at + 1)) {
    if (at + FRAME_HEADER_BYTES > bytes.length) return undefined;
    const header = peekFrameLength(bytes, at) === undefined ? undefined : readHeader(bytes.subarray(at));
    const ours = header && (options.partition === undefined || header.partition === options.partition);
    if (ours && header.firstSeq > options.expectedSeq) return at;
  }
  return undefined;
}

function lengthWithoutZeros(bytes: Buffer): number {
  if (bytes.equals(ZEROS.subarray(0, bytes.length))) return 0;
  let length = bytes.length;
  while (length > 0 && bytes[length - 1] === 0) length--;
  return length;
}
