// The operator's signature over the journal: it covers one frame, and so everything before it, since each frame holds
// the hash of the previous one.
import { sha256 } from '@noble/hashes/sha2';
import { type Hex, toHex } from '../core/hex.ts';

/** A signed frame. One signature covers all records of the frame. */
export interface SignedFrame {
  readonly partition: string;
  readonly firstSeq: number;
  readonly lastSeq: number;
  /** SHA-256 of the frame as stored. */
  readonly frameHash: Hex;
  readonly timeMs: number;
  /** Ed25519 over `receiptText`, by the key in `/config`. */
  readonly signature: Hex;
}

/** The operator's signed statement that a record is in the journal, at this place. */
export interface Receipt extends SignedFrame {
  /** Sequence of the record that accepts or cancels the order. */
  readonly seq: number;
}

/** The text whose UTF-8 bytes are signed: readable, one line per field, and used for nothing else. */
export function receiptText(frame: Omit<SignedFrame, 'signature'>): string {
  const { partition, firstSeq, lastSeq, frameHash, timeMs } = frame;
  return `Presage journal frame\n${partition}\n${firstSeq}\n${lastSeq}\n${frameHash}\n${timeMs}`;
}

/**
 * One hash over the newest frames of all partitions, in the order of their names: the hash that is anchored on chain.
 */
export function hashHeads(heads: readonly Omit<SignedFrame, 'signature'>[]): Hex {
  const texts = heads.map(receiptText).sort();
  return toHex(sha256(texts.join('\n\n')));
}
