// Reads the frames of a journal directory without owning it: takes no lock, changes nothing, works beside a live
// writer.

import { trimFrame } from '../body.ts';
import { RecordsDeleted } from '../errors.ts';
import type { Frame } from '../frame.ts';
import { FrameChain } from '../frame-chain.ts';
import { openSegment } from './archive.ts';
import { type JournalFile, type JournalFiles, nodeFiles } from './files.ts';
import { FrameReader, inspectRest } from './frame-reader.ts';
import { keptSegments, type Origin, readOrigin } from './mark.ts';
import { chainFrom } from './scan.ts';
import { listSegments, type Segment } from './segments.ts';

export interface FrameCursorOptions {
  readonly dir: string;
  /** 1 by default. */
  readonly fromSeq?: number;
  readonly files?: JournalFiles;
}

export class FrameCursor {
  readonly #dir: string;
  readonly #fromSeq: number;
  readonly #files: JournalFiles;
  #chain: FrameChain | undefined;
  #segmentSeq = 0;
  #position = 0;

  constructor({ dir, fromSeq = 1, files = nodeFiles }: FrameCursorOptions) {
    this.#dir = dir;
    this.#fromSeq = fromSeq;
    this.#files = files;
  }

  /**
   * Complete frames in order, each chained to the previous one, up to the current end; when called again, those added
   * since. A frame that a live writer has not synced yet may be among them. Rejects with `JournalCorrupt` if history is
   * damaged before its end.
   */
  async *read(): AsyncGenerator<Frame, void, void> {
    const listed = await listSegments(this.#files, this.#dir);
    const { segments, origin } = keptSegments(listed, await readOrigin(this.#files, this.#dir));
    const last = segments.at(-1);
    this.#chain ??= this.#begin(segments, origin);
    for (const segment of segments) {
      if (segment.firstSeq < this.#segmentSeq) continue;
      yield* this.#readSegment(segment, { chain: this.#chain, isLast: segment === last });
    }
  }

  #begin(segments: readonly Segment[], origin: Origin | undefined): FrameChain {
    const start = segments.findLast(({ firstSeq }) => firstSeq <= this.#fromSeq);
    if (origin !== undefined && (start === undefined || start.firstSeq === origin.firstSeq)) {
      this.#segmentSeq = origin.firstSeq;
      return chainFrom(undefined, origin);
    }
    if (start === undefined || start.firstSeq === 1) return FrameChain.atStart(undefined);
    this.#segmentSeq = start.firstSeq;
    // In the middle of history the first frame supplies its own previous hash.
    const lastSeq = start.firstSeq - 1;
    return new FrameChain({ partition: undefined, lastSeq, hash: undefined, timeMs: 0, epoch: 0 });
  }

  async *#readSegment(
    segment: Segment,
    { chain, isLast }: { readonly chain: FrameChain; readonly isLast: boolean },
  ): AsyncGenerator<Frame, void, void> {
    this.#enter(segment, chain);
    const file = await this.#openKept(segment, chain);
    try {
      for (let suspect: number | undefined; ; suspect = this.#position) {
        yield* this.#readWhole(file, segment.path, chain);
        if (await this.#isEnd(file, chain, isLast)) return;
        // A writer may have completed the frame meanwhile: only a frame that is still bad at a second look is damaged.
        const reason = 'a bad frame, with later history after it';
        if (suspect === this.#position) throw chain.corrupt(segment.path, suspect, reason);
      }
    } finally {
      await file.close();
    }
  }

  /** The owner may delete it while earlier segments are read. */
  async #openKept({ path, firstSeq }: Segment, { point }: FrameChain): Promise<JournalFile> {
    try {
      return await openSegment(this.#files, this.#dir, path);
    } catch (error) {
      const origin = await readOrigin(this.#files, this.#dir);
      if (origin === undefined || origin.firstSeq <= firstSeq) throw error;
      throw new RecordsDeleted(point.partition ?? this.#dir, origin.firstSeq);
    }
  }

  #enter(segment: Segment, chain: FrameChain): void {
    if (segment.firstSeq === this.#segmentSeq) return;
    if (segment.firstSeq !== chain.nextSeq) {
      throw chain.corrupt(segment.path, 0, `records ${chain.nextSeq} to ${segment.firstSeq - 1} are missing`);
    }
    this.#segmentSeq = segment.firstSeq;
    this.#position = 0;
  }

  async *#readWhole(file: JournalFile, path: string, chain: FrameChain): AsyncGenerator<Frame, void, void> {
    const reader = new FrameReader({ file, path, chain, size: await file.size(), position: this.#position });
    for (let frame = await reader.next(); frame; frame = await reader.next()) {
      this.#position = reader.position;
      if (frame.lastSeq >= this.#fromSeq) yield trimFrame(frame, this.#fromSeq);
    }
  }

  async #isEnd(file: JournalFile, chain: FrameChain, isLast: boolean): Promise<boolean> {
    const { partition } = chain.point;
    const from = this.#position;
    const rest = await inspectRest({ file, size: await file.size(), from, partition, expectedSeq: chain.nextSeq });
    return isLast ? rest.laterFrameAt === undefined : rest.end === from;
  }
}
