// Looks at what follows the last whole frame of a segment: nothing, the remains of one torn frame, or proof of lost history.

import { FRAME_HEADER_BYTES, FRAME_MAGIC, peekFrameLength, readHeader } from '../frame.ts';
import { type JournalFile, readFully } from './files.ts';

const PIECE_BYTES = 1024 * 1024;
const ZEROS = new Uint8Array(PIECE_BYTES);

export interface RestOptions {
  file: JournalFile;
  size: number;
  /** Where the last whole frame ended. */
  from: number;
  partition: string | undefined;
  expectedSeq: number;
}

export interface Rest {
  /** Just past the last byte that is not zero; equal to `from` when all is zero. */
  readonly end: number;
  /** Where a later frame of this partition begins, if one does. */
  readonly laterFrameAt: number | undefined;
}

/**
 * One frame is in flight at most, so a crash can damage only the last. A header of this partition with a later sequence, even
 * one whose payload is damaged too, therefore proves that what is bad here had been durable. The header alone is asked, not
 * the length of the bad frame, which may itself be the damaged field.
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
    // Pieces overlap, so that a header across their border is seen whole.
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
