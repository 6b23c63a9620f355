// Remembers where in the segments some sequences stand, so that reading from the middle does not begin at the start.

import type { Segment } from './segments.ts';

export interface SeekPoint {
  /** The sequence before the frame that stands here. */
  readonly lastSeq: number;
  readonly segment: number;
  readonly offset: number;
  /** Hash of the frame before; undefined where opening skipped it. */
  readonly hash: Uint8Array | undefined;
}

// A reader scans a quarter of a megabyte in a millisecond; closer points would only cost memory.
const SPACING_BYTES = 256 * 1024;

export class SeekIndex {
  readonly segments: Segment[] = [];
  readonly #points: SeekPoint[] = [];

  addSegment(segment: Segment, hash: Uint8Array | undefined): void {
    this.segments.push(segment);
    this.#points.push({ lastSeq: segment.firstSeq - 1, segment: this.segments.length - 1, offset: 0, hash });
  }

  /** To be called at every frame boundary; keeps one now and then. */
  note(offset: number, lastSeq: number, hash: Uint8Array | undefined): void {
    const latest = this.#points.at(-1);
    if (!latest || offset - latest.offset < SPACING_BYTES) return;
    this.#points.push({ lastSeq, segment: latest.segment, offset, hash });
  }

  /** The closest point at or before the frame that holds `seq`. */
  find(seq: number): SeekPoint | undefined {
    let low = 0;
    let high = this.#points.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#points[middle]!.lastSeq < seq) low = middle + 1;
      else high = middle;
    }
    return this.#points[low - 1] ?? this.#points[0];
  }
}
