// What the operator signs of the journal: one frame, and with it everything before it, since each frame holds the hash of the last.
import { sha256 } from '@noble/hashes/sha2';
import { type Hex, toHex } from '../core/hex.ts';

/** A frame as it is signed. One signature serves all that was written in the frame. */
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

/** The operator's word that a record stands in the journal, at this place. */
export interface Receipt extends SignedFrame {
  /** Sequence of the record that accepts or cancels the order. */
  readonly seq: number;
}

/** The UTF-8 bytes of this text are signed: readable, one line for each field, and of no other use. */
export function receiptText(frame: Omit<SignedFrame, 'signature'>): string {
  const { partition, firstSeq, lastSeq, frameHash, timeMs } = frame;
  return `Presage journal frame\n${partition}\n${firstSeq}\n${lastSeq}\n${frameHash}\n${timeMs}`;
}

/** One hash for the newest frames of all partitions, in the order of their names: what is anchored on chain. */
export function hashHeads(heads: readonly Omit<SignedFrame, 'signature'>[]): Hex {
  const texts = heads.map(receiptText).sort();
  return toHex(sha256(texts.join('\n\n')));
}
