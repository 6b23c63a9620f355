// Reads the frames of one segment file in order, in large pieces, each frame checked and chained to the one before.

import { JournalCorrupt } from '../errors.ts';
import { decodeFrame, FRAME_HEADER_BYTES, type Frame, peekFrameLength } from '../frame.ts';
import type { FrameChain } from '../frame-chain.ts';
import { type JournalFile, readFully } from './files.ts';

const PIECE_BYTES = 1024 * 1024;

export interface FrameReaderOptions {
  file: JournalFile;
  path: string;
  chain: FrameChain;
  size: number;
  position: number;
}

export class FrameReader {
  readonly #options: FrameReaderOptions;
  #position: number;
  #piece: Uint8Array = new Uint8Array(0);
  #pieceAt = 0;

  constructor(options: FrameReaderOptions) {
    this.#options = options;
    this.#position = options.position;
  }

  /** Where the next frame begins, or would. */
  get position(): number {
    return this.#position;
  }

  /**
   * The next frame, or undefined where no whole frame stands: the end, a torn tail or damage; `inspectRest` finds out which.
   * A frame whose checksum holds but which does not belong here cannot come from a crash, and is refused.
   */
  async next(): Promise<Frame | undefined> {
    const bytes = await this.#frameBytes();
    const frame = bytes && decodeFrame(bytes);
    if (!frame || !bytes) return undefined;
    if ('fault' in frame) {
      if (frame.fault === 'version')
        throw this.#corrupt('a frame of an unknown format version; use the release that wrote it');
      if (frame.fault === 'layout') throw this.#corrupt('a frame with a good checksum that makes no sense');
      return undefined;
    }
    const breach = this.#options.chain.breach(frame);
    if (breach) throw this.#corrupt(breach);
    this.#options.chain.advance(frame);
    this.#position += bytes.length;
    return frame;
  }

  async #frameBytes(): Promise<Uint8Array | undefined> {
    const header = await this.#bytes(FRAME_HEADER_BYTES);
    const length = header && peekFrameLength(header, 0);
    return length === undefined ? undefined : this.#bytes(length);
  }

  // Frames handed out are views of a piece, so a piece is never used again for other bytes.
  async #bytes(length: number): Promise<Uint8Array | undefined> {
    const { file, size } = this.#options;
    if (this.#position + length > size) return undefined;
    const start = this.#position - this.#pieceAt;
    if (start + length <= this.#piece.length) return this.#piece.subarray(start, start + length);
    const wanted = Math.min(Math.max(PIECE_BYTES, length), size - this.#position);
    const piece = new Uint8Array(Buffer.allocUnsafeSlow(wanted).buffer);
    const kept = this.#piece.subarray(start);
    piece.set(kept);
    const got = await readFully(file, piece.subarray(kept.length), this.#position + kept.length);
    this.#piece = piece.subarray(0, kept.length + got);
    this.#pieceAt = this.#position;
    return this.#piece.length < length ? undefined : this.#piece.subarray(0, length);
  }

  #corrupt(reason: string): JournalCorrupt {
    const { path, chain } = this.#options;
    return new JournalCorrupt({ file: path, offset: this.#position, expectedSeq: chain.nextSeq, reason });
  }
}
