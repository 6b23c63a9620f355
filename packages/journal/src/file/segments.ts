// Segment files: their names and order, the creation of a new one, and an index of positions of some sequences.
import { listArchived } from './archive.ts';
import { type JournalFile, type JournalFiles, writeFully } from './files.ts';

export interface Segment {
  readonly firstSeq: number;
  /** Path where it is written; an archived segment is no longer there. */
  readonly path: string;
}

// Sixteen digits hold every safe integer, and make the order of names the order of history.
const SEGMENT_NAME = /^(\d{16})\.frames$/;
const ZEROS = new Uint8Array(1024 * 1024);

export async function listSegments(files: JournalFiles, dir: string): Promise<Segment[]> {
  const segments: Segment[] = [];
  // Lists the archive first: a segment that moves there meanwhile is then in one of the lists, or in both.
  const names = [...(await listArchived(files, dir)), ...(await files.list(dir))];
  for (const name of new Set(names)) {
    const digits = SEGMENT_NAME.exec(name)?.[1];
    if (digits !== undefined) segments.push({ firstSeq: Number(digits), path: `${dir}/${name}` });
  }
  return segments.sort((a, b) => a.firstSeq - b.firstSeq);
}

/** A segment appears under its name only when its zeros are durable, so its mere presence proves all history before it. */
export async function createSegment(
  files: JournalFiles,
  dir: string,
  size: { firstSeq: number; bytes: number },
): Promise<{ segment: Segment; file: JournalFile }> {
  const path = `${dir}/${String(size.firstSeq).padStart(16, '0')}.frames`;
  await files.remove(`${path}.tmp`);
  const file = await files.open(`${path}.tmp`, 'create');
  try {
    await writeZeros(file, 0, size.bytes);
    await file.datasync();
    await files.rename(`${path}.tmp`, path);
    await files.syncDir(dir);
  } catch (error) {
    await file.close();
    throw error;
  }
  return { segment: { firstSeq: size.firstSeq, path }, file };
}

export async function writeZeros(file: JournalFile, from: number, to: number): Promise<void> {
  for (let at = from; at < to; at += ZEROS.length) {
    await writeFully(file, ZEROS.subarray(0, Math.min(ZEROS.length, to - at)), at);
  }
}

export interface SeekPoint {
  /** The last sequence before the frame at this point. */
  readonly lastSeq: number;
  readonly segment: number;
  readonly offset: number;
  /** Hash of the previous frame; undefined if opening skipped it. */
  readonly hash: Uint8Array | undefined;
}

// A reader scans a quarter of a megabyte in a millisecond; closer points would only cost memory.
const SPACING_BYTES = 256 * 1024;

/** Remembers the positions of some sequences, so that reading from the middle does not begin at the start. */
export class SeekIndex {
  readonly segments: Segment[] = [];
  readonly #points: SeekPoint[] = [];

  addSegment(segment: Segment, hash: Uint8Array | undefined): void {
    this.segments.push(segment);
    this.#points.push({ lastSeq: segment.firstSeq - 1, segment: this.segments.length - 1, offset: 0, hash });
  }

  /** Must be called at every frame boundary; keeps one now and then. */
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
