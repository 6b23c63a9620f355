// Recomputes the hash chain of a published journal from its bytes.
import { type ParsedFrame, parseFrame } from '@presage/journal/layout';
import { type Hex, toHex } from '@presage/protocol/browser';
import { Violation } from './violation.ts';

/** Position in a verified chain: enough to resume from. */
export interface VerifiedPoint {
  readonly partition: string;
  readonly lastSeq: number;
  readonly frameHash: Hex;
  readonly timeMs: number;
}

export interface CheckedFrame extends ParsedFrame {
  readonly frameHash: Hex;
}

export type Sha256 = (bytes: Uint8Array) => Uint8Array;

/** The position before the first frame. */
export function startOf(partition: string): VerifiedPoint {
  return { partition, lastSeq: 0, frameHash: `0x${'0'.repeat(64)}`, timeMs: 0 };
}

export class FrameCheck {
  readonly #sha256: Sha256;
  readonly #partition: string;
  #lastSeq: number;
  #frameHash: Hex;
  #timeMs: number;

  /** Resumes from a point that was verified before. */
  constructor({ partition, lastSeq, frameHash, timeMs }: VerifiedPoint, sha256: Sha256) {
    this.#partition = partition;
    this.#lastSeq = lastSeq;
    this.#frameHash = frameHash;
    this.#timeMs = timeMs;
    this.#sha256 = sha256;
  }

  get point(): VerifiedPoint {
    const [partition, lastSeq, frameHash, timeMs] = [this.#partition, this.#lastSeq, this.#frameHash, this.#timeMs];
    return { partition, lastSeq, frameHash, timeMs };
  }

  /** Throws a violation if the frame cannot be the next one. */
  check(bytes: Uint8Array): CheckedFrame {
    const frame = parseFrame(bytes);
    const next = this.#lastSeq + 1;
    if ('fault' in frame) throw new Violation('frame_damaged', `the frame has a bad ${frame.fault}`, next);
    const { partition, firstSeq, lastSeq, timeMs } = frame;
    if (partition !== this.#partition) throw new Violation('frame_damaged', `a frame of ${partition}`, next);
    if (firstSeq !== next) throw new Violation('sequence_gap', `record ${next} should follow, ${firstSeq} does`, next);
    const previous = toHex(frame.previousHash);
    if (previous !== this.#frameHash) {
      const detail = `the frame of ${firstSeq} to ${lastSeq} names ${previous} as the one before, which is ${this.#frameHash}`;
      throw new Violation('hash_chain_broken', detail, firstSeq);
    }
    if (timeMs < this.#timeMs) throw new Violation('frame_time_backwards', `${timeMs} after ${this.#timeMs}`, firstSeq);
    const frameHash = toHex(this.#sha256(bytes));
    this.#lastSeq = lastSeq;
    this.#frameHash = frameHash;
    this.#timeMs = timeMs;
    return { ...frame, frameHash };
  }
}
