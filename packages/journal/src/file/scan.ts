// Scans all segments of a journal when it is opened or verified, and distinguishes history, a torn tail and corruption.
import { toHashText } from '../body.ts';
import { FrameChain, NO_HASH } from '../frame-chain.ts';
import { openSegment } from './archive.ts';
import { type JournalFile, type JournalFiles, nodeFiles } from './files.ts';
import { FrameReader, inspectRest, type Rest } from './frame-reader.ts';
import {
  assertFrameKeepsMark,
  assertReachesMark,
  type FramePlace,
  keptSegments,
  type MarkPoint,
  type Origin,
  readMark,
  readOrigin,
} from './mark.ts';
import { listSegments, SeekIndex, type Segment } from './segments.ts';

interface ScanWanted {
  partition: string | undefined;
  /** Begins at the frame of the mark, or at its segment; readers check older frames. */
  tailOnly?: boolean;
}

interface ScanOptions extends ScanWanted {
  files: JournalFiles;
  dir: string;
  segments: readonly Segment[];
  /** Beginning of the journal if older segments were deleted. */
  origin: Origin | undefined;
  mark: MarkPoint | undefined;
}

export interface Tail {
  readonly segment: Segment;
  readonly size: number;
  /** The last complete frame of the last segment; undefined if that segment has none. */
  readonly lastFrame: FramePlace | undefined;
  /** End of that segment's frames, where the next frame goes. */
  readonly end: number;
  /** End of the remains of a torn frame; equal to `end` if there are none. */
  readonly tornEnd: number;
}

/** Scans a directory from its origin, or from its mark, to its end. */
export async function scanJournal(files: JournalFiles, dir: string, wanted: ScanWanted) {
  const found = await readMark(files, dir);
  const mark = found === 'damaged' ? undefined : found;
  const { segments, origin } = keptSegments(await listSegments(files, dir), await readOrigin(files, dir));
  const scan = new Scan({ files, dir, segments, origin, mark, ...wanted });
  await scan.run();
  const { tail } = scan;
  return {
    scan,
    segments,
    origin,
    mark,
    markDamaged: found === 'damaged',
    tornBytes: tail ? tail.tornEnd - tail.end : 0,
  };
}

export function chainFrom(partition: string | undefined, { firstSeq, previousHash }: Origin): FrameChain {
  return new FrameChain({ partition, lastSeq: firstSeq - 1, hash: previousHash, timeMs: 0, epoch: 0 });
}

export class Scan {
  readonly index = new SeekIndex();
  chain: FrameChain;
  tail: Tail | undefined;
  frames = 0;
  records = 0;
  readonly #options: ScanOptions;

  constructor(options: ScanOptions) {
    this.#options = options;
    const { partition, origin } = options;
    this.chain = origin === undefined ? FrameChain.atStart(partition) : chainFrom(partition, origin);
  }

  async run(): Promise<void> {
    const { segments, dir, mark } = this.#options;
    const skipped = this.#skipOld();
    for (const [index, segment] of segments.entries()) {
      if (index < skipped) continue;
      if (segment.firstSeq !== this.chain.nextSeq) {
        throw this.chain.corrupt(
          segment.path,
          0,
          `records ${this.chain.nextSeq} to ${segment.firstSeq - 1} are missing`,
        );
      }
      this.index.addSegment(segment, this.chain.point.hash);
      await this.#scanSegment(segment, index === segments.length - 1);
    }
    const where = { file: this.tail?.segment.path ?? dir, offset: this.tail?.end ?? 0 };
    if (mark) assertReachesMark(this.chain.point.lastSeq, mark, where);
  }

  // The first frame read then supplies its own previous hash unchecked; the mark's hash, further on, confirms it.
  #skipOld(): number {
    const { segments, mark, tailOnly } = this.#options;
    const start = tailOnly && mark ? segments.findLastIndex((segment) => segment.firstSeq <= mark.seq) : 0;
    if (start <= 0 || segments[0]?.firstSeq !== this.chain.nextSeq) return 0;
    const { hash } = this.chain.point;
    for (const [index, segment] of segments.slice(0, start).entries()) {
      this.index.addSegment(segment, index === 0 ? hash : undefined);
    }
    this.chain = this.#chainBefore(segments[start]!);
    return start;
  }

  async #scanSegment(segment: Segment, isLast: boolean): Promise<void> {
    const file = await openSegment(this.#options.files, this.#options.dir, segment.path);
    try {
      const size = await file.size();
      const position = await this.#skipToMark(file, size, segment);
      const reader = new FrameReader({ file, path: segment.path, chain: this.chain, size, position });
      const lastFrame = await this.#scanFrames(reader, segment);
      const rest = await this.#inspectRest(file, size, reader.position);
      this.#judgeRest(segment, reader.position, { rest, isLast });
      if (isLast) this.tail = { segment, size, lastFrame, end: reader.position, tornEnd: rest.end };
    } finally {
      await file.close();
    }
  }

  /** Start position in the segment: the frame of the mark if it is where the mark says, else the beginning. */
  async #skipToMark(file: JournalFile, size: number, segment: Segment): Promise<number> {
    const { mark, tailOnly } = this.#options;
    if (!tailOnly || mark?.place === undefined || mark.place.firstSeq <= this.chain.nextSeq) return 0;
    const { path } = segment;
    const { place } = mark;
    const reader = new FrameReader({ file, path, chain: this.#chainBefore(place), size, position: place.offset });
    const frame = await reader.next().catch(() => undefined);
    if (frame?.lastSeq !== mark.seq || toHashText(frame) !== mark.hash) return 0;
    this.chain = this.#chainBefore(place);
    this.index.note(place.offset, place.firstSeq - 1, frame.previousHash);
    return place.offset;
  }

  #chainBefore({ firstSeq }: Pick<FramePlace, 'firstSeq'>): FrameChain {
    const { partition } = this.#options;
    return new FrameChain({ partition, lastSeq: firstSeq - 1, hash: undefined, timeMs: 0, epoch: 0 });
  }

  async #scanFrames(reader: FrameReader, segment: Segment): Promise<FramePlace | undefined> {
    const { mark } = this.#options;
    let lastFrame: FramePlace | undefined;
    for (;;) {
      const offset = reader.position;
      const frame = await reader.next();
      if (!frame) return lastFrame;
      if (mark) assertFrameKeepsMark(frame, mark, { file: segment.path, offset });
      lastFrame = { firstSeq: frame.firstSeq, offset };
      this.frames++;
      this.records += frame.records.length;
      this.index.note(reader.position, frame.lastSeq, frame.hash);
    }
  }

  #inspectRest(file: JournalFile, size: number, from: number): Promise<Rest> {
    return inspectRest({ file, size, from, partition: this.chain.point.partition, expectedSeq: this.chain.nextSeq });
  }

  #judgeRest(segment: Segment, offset: number, found: { rest: Rest; isLast: boolean }): void {
    const { rest, isLast } = found;
    if (rest.laterFrameAt !== undefined) {
      throw this.chain.corrupt(
        segment.path,
        offset,
        `a bad frame, with a later one after it at byte ${rest.laterFrameAt}`,
      );
    }
    // The next segment was created only when this one was durable to its end.
    if (!isLast && rest.end > offset)
      throw this.chain.corrupt(segment.path, offset, 'a bad frame, with a later segment after it');
  }
}

export type VerifyReport = Awaited<ReturnType<typeof verifyJournal>>;

/** Verifies a directory from end to end without changing anything; rejects with `JournalCorrupt` exactly if opening would. Takes no lock. */
export async function verifyJournal(dir: string, files: JournalFiles = nodeFiles) {
  const { scan, segments, origin, markDamaged, tornBytes } = await scanJournal(files, dir, { partition: undefined });
  const { partition, lastSeq, hash } = scan.chain.point;
  return {
    /** Undefined for a journal without a frame. */
    partition,
    segments: segments.length,
    frames: scan.frames,
    records: scan.records,
    /** 1 unless older segments were deleted. */
    firstSeq: origin?.firstSeq ?? 1,
    lastSeq,
    /** Remains of a frame in flight. While a process is writing, it may be the frame being written. */
    tornBytes,
    headHash: toHashText({ hash: hash ?? NO_HASH }),
    markDamaged,
  };
}
