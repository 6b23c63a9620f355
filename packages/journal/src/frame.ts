// A frame with its hash, which the next one contains.
import { hash, subtle } from 'node:crypto';
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
  type ParsedFrame,
  parseFrame,
  peekFrameLength,
  readHeader,
  visitRecords,
} from './frame-layout.ts';

export interface Frame extends ParsedFrame {
  /** SHA-256 of the frame as stored. */
  readonly hash: Uint8Array;
  /** Received with a frame from another node. */
  readonly signature?: Uint8Array | undefined;
}

export function hashFrame(bytes: Uint8Array): Uint8Array {
  const digest = hash('sha256', bytes, 'buffer');
  return new Uint8Array(digest.buffer, digest.byteOffset, HASH_BYTES);
}

/** Smaller frames are hashed here: faster than asking another thread. */
const HASHED_ELSEWHERE_BYTES = 16 * 1024;

/** Hash of a frame that is needed later; a large one is hashed by another thread. */
export function hashAhead(bytes: Uint8Array): Uint8Array | Promise<Uint8Array> {
  if (bytes.length < HASHED_ELSEWHERE_BYTES) return hashFrame(bytes);
  return subtle.digest('SHA-256', bytes).then((digest) => new Uint8Array(digest));
}

/** Adds the hash to the same object: a copy would read its records. */
export function withHash(parsed: ParsedFrame, digest: Uint8Array): Frame {
  return Object.assign(parsed, { hash: digest });
}

/** Decodes one frame that must fill `bytes` exactly; returns its fault rather than throwing. */
export function decodeFrame(bytes: Uint8Array): Frame | FrameFault {
  const parsed = parseFrame(bytes);
  return 'fault' in parsed ? parsed : withHash(parsed, hashFrame(bytes));
}
