// The rule by which one frame may follow another: sequence, hash, time, epoch and partition.
import { JournalCorrupt, JournalMisuse } from './errors.ts';
import { encodeFrame, type Frame, HASH_BYTES, hashFrame } from './frame.ts';

const KEPT_BUFFER_BYTES = 8 * 1024 * 1024;

/** State of a chain. A missing hash or partition means "not known yet": the next frame supplies it unchecked. */
export interface ChainPoint {
  readonly partition: string | undefined;
  readonly lastSeq: number;
  readonly hash: Uint8Array | undefined;
  readonly timeMs: number;
  readonly epoch: number;
}

export interface SealedFrame {
  readonly frame: Frame;
  /** Valid until the next seal, which reuses the buffer. */
  readonly bytes: Uint8Array;
}

export const NO_HASH: Uint8Array = new Uint8Array(HASH_BYTES);

export class FrameChain {
  #point: ChainPoint;
  #buffer: Uint8Array = new Uint8Array(0);

  constructor(point: ChainPoint) {
    this.#point = point;
  }

  static atStart(partition: string | undefined): FrameChain {
    return new FrameChain({ partition, lastSeq: 0, hash: NO_HASH, timeMs: 0, epoch: 0 });
  }

  get point(): ChainPoint {
    return this.#point;
  }

  get nextSeq(): number {
    return this.#point.lastSeq + 1;
  }

  /** Builds the next frame without advancing: it becomes history only by `advance`, once it is durable. */
  seal(records: readonly Uint8Array[], timeMs: number, epoch: number): SealedFrame {
    const { partition, hash, timeMs: previousMs, lastSeq } = this.#point;
    if (partition === undefined || hash === undefined)
      throw new RangeError('Cannot extend a chain whose end is unknown.');
    const time = { firstSeq: this.nextSeq, timeMs: Math.max(timeMs, previousMs) };
    const header = { partition, epoch, ...time, previousHash: hash };
    const bytes = encodeFrame(header, records, this.#buffer);
    if (bytes.buffer !== this.#buffer.buffer) this.#keepBuffer(bytes);
    return { bytes, frame: { ...header, lastSeq: lastSeq + records.length, records, hash: hashFrame(bytes) } };
  }

  /** The error of a reader that finds anything but the next frame. */
  corrupt(file: string, offset: number, reason: string): JournalCorrupt {
    return new JournalCorrupt({ file, offset, expectedSeq: this.nextSeq, reason });
  }

  /** Why `frame` cannot be the next one; undefined if it can. */
  breach(frame: Frame): string | undefined {
    const { partition, lastSeq, hash, timeMs, epoch } = this.#point;
    if (partition !== undefined && frame.partition !== partition) return `a frame of partition ${frame.partition}`;
    if (frame.firstSeq !== lastSeq + 1) return `sequence ${frame.firstSeq} is out of order`;
    if (hash !== undefined && Buffer.compare(hash, frame.previousHash) !== 0) return 'the hash chain is broken';
    if (frame.timeMs < timeMs) return 'time runs backwards';
    if (frame.epoch < epoch) return `epoch ${frame.epoch} follows epoch ${epoch}`;
    return undefined;
  }

  /** Checks that these frames follow, without advancing. Call the returned function once they are durable. */
  extendBy(frames: readonly Frame[]): () => void {
    const ahead = new FrameChain(this.#point);
    for (const frame of frames) {
      const reason = ahead.breach(frame);
      if (reason !== undefined) throw new JournalMisuse(`A frame that is to be taken over does not follow: ${reason}.`);
      ahead.advance(frame);
    }
    return () => {
      this.#point = ahead.point;
    };
  }

  advance(frame: Frame): void {
    const { partition, lastSeq, hash, timeMs, epoch } = frame;
    this.#point = { partition, lastSeq, hash, timeMs, epoch };
  }

  // One huge frame must not keep its memory for the life of the process.
  #keepBuffer(bytes: Uint8Array): void {
    if (bytes.length <= KEPT_BUFFER_BYTES) this.#buffer = new Uint8Array(2 * bytes.length);
  }
}
