// A frame with its hash, which the next one carries.
import { hash } from 'node:crypto';
import { type FrameFault, HASH_BYTES, type ParsedFrame, parseFrame } from './frame-layout.ts';

export {
  encodeFrame,
  FRAME_HEADER_BYTES,
  FRAME_MAGIC,
  type FrameFault,
  type FrameHeader,
  frameBytes,
  HASH_BYTES,
  MAX_FRAME_BYTES,
  peekFrameLength,
  readHeader,
} from './frame-layout.ts';

export interface Frame extends ParsedFrame {
  /** SHA-256 of the frame as stored. */
  readonly hash: Uint8Array;
}

export function hashFrame(bytes: Uint8Array): Uint8Array {
  const digest = hash('sha256', bytes, 'buffer');
  return new Uint8Array(digest.buffer, digest.byteOffset, HASH_BYTES);
}

/** Reads one frame that must fill `bytes` exactly; says what is wrong with it rather than throwing. */
export function decodeFrame(bytes: Uint8Array): Frame | FrameFault {
  const parsed = parseFrame(bytes);
  return 'fault' in parsed ? parsed : { ...parsed, hash: hashFrame(bytes) };
}
