// Two small files beside the segments: the mark records up to where the journal is known to be durable, the origin where it begins.
import { SerialQueue } from '@presage/runtime';
import { isErrorCode } from '@presage/runtime/node';
import { crc32c } from '../crc32c.ts';
import { JournalCorrupt } from '../errors.ts';
import type { Frame } from '../frame.ts';
import { type JournalFiles, readWhole, replaceFile } from './files.ts';
import type { Segment } from './segments.ts';

/*
 * By itself the last frame cannot prove that it was acknowledged: a damaged one looks like one that was torn in flight.
 * The mark settles that for everything up to it. It is raised when a segment is full, with each checkpoint and at
 * close. It is a lower bound, so an old one is still true. Frames after the last mark of a killed process remain
 * ambiguous.
 */
export interface MarkPoint {
  readonly seq: number;
  /** SHA-256 of the frame that ends at `seq`, hexadecimal. */
  readonly hash: string;
  /** Absent for a journal without files, and in a mark of an earlier version. */
  readonly place?: FramePlace | undefined;
}

/** Position of a frame: an opening that trusts the mark begins there instead of at the start of the segment. */
export interface FramePlace {
  readonly firstSeq: number;
  /** Offset in the file of its segment. */
  readonly offset: number;
}

const MARK = 'mark';
/** Version 2 includes a place. */
const MARK_LINE = /^(presage-mark [12] ([a-z0-9-]+) (\d+) ([0-9a-f]{64})(?: (\d+) (\d+))?) ([0-9a-f]{8})\n$/;

export interface JournalFolder {
  readonly files: JournalFiles;
  readonly dir: string;
  readonly partition: string;
}

export class Mark {
  readonly #options: JournalFolder;
  readonly #queue = new SerialQueue();
  #raised: number;

  constructor(options: JournalFolder, point: MarkPoint | undefined) {
    this.#options = options;
    this.#raised = point?.seq ?? 0;
  }

  raise(point: MarkPoint): Promise<void> {
    return this.#queue.run(() => this.#write(point));
  }

  async #write(point: MarkPoint): Promise<void> {
    if (point.seq <= this.#raised) return;
    const { files, dir, partition } = this.#options;
    await writeLine(files, dir, MARK, toMarkLine(partition, point));
    this.#raised = point.seq;
  }
}

function toMarkLine(partition: string, { seq, hash, place }: MarkPoint): string {
  const facts = `${partition} ${seq} ${hash}`;
  return place ? `presage-mark 2 ${facts} ${place.firstSeq} ${place.offset}` : `presage-mark 1 ${facts}`;
}

/** A damaged mark is not treated as missing: it protects nothing, and the operator should know. */
export async function readMark(files: JournalFiles, dir: string): Promise<MarkPoint | 'damaged' | undefined> {
  const fields = await readLine(files, `${dir}/${MARK}`, MARK_LINE);
  if (fields === undefined || fields === 'damaged') return fields;
  const [, seq, hash = '', firstSeq, offset] = fields;
  const place = firstSeq === undefined ? undefined : { firstSeq: Number(firstSeq), offset: Number(offset) };
  return { seq: Number(seq), hash, place };
}

export function assertFrameKeepsMark(frame: Frame, mark: MarkPoint, where: { file: string; offset: number }): void {
  if (frame.firstSeq > mark.seq || frame.lastSeq < mark.seq) return;
  if (frame.lastSeq === mark.seq && Buffer.from(frame.hash).toString('hex') === mark.hash) return;
  const reason = `the frame at sequence ${mark.seq} is not the one that the mark remembers`;
  throw new JournalCorrupt({ ...where, expectedSeq: frame.firstSeq, reason });
}

export function assertReachesMark(lastSeq: number, mark: MarkPoint, where: { file: string; offset: number }): void {
  if (lastSeq >= mark.seq) return;
  const reason = `records up to sequence ${mark.seq} were durable, but the journal ends at ${lastSeq}: its tail was lost`;
  throw new JournalCorrupt({ ...where, expectedSeq: lastSeq + 1, reason });
}

export interface Origin {
  /** Sequence of the oldest kept record. */
  readonly firstSeq: number;
  /** SHA-256 of the previous frame, which proves that the kept records follow the deleted ones. */
  readonly previousHash: Uint8Array;
  /** SHA-256 of the very first frame, hexadecimal: identifies the journal for views and anchors. */
  readonly identity: string;
}

const ORIGIN = 'origin';
const ORIGIN_LINE = /^(presage-origin 1 ([a-z0-9-]+) (\d+) ([0-9a-f]{64}) ([0-9a-f]{64})) ([0-9a-f]{8})\n$/;

/** Undefined if nothing was deleted from the journal. */
export async function readOrigin(files: JournalFiles, dir: string): Promise<Origin | undefined> {
  const file = `${dir}/${ORIGIN}`;
  const fields = await readLine(files, file, ORIGIN_LINE);
  const reason = 'what says where the journal begins is damaged';
  if (fields === 'damaged') throw new JournalCorrupt({ file, offset: 0, expectedSeq: 1, reason });
  const [, firstSeq, previousHash = '', identity = ''] = fields ?? [];
  return fields && { firstSeq: Number(firstSeq), previousHash: Buffer.from(previousHash, 'hex'), identity };
}

export async function writeOrigin(files: JournalFiles, dir: string, partition: string, origin: Origin): Promise<void> {
  const previousHash = Buffer.from(origin.previousHash).toString('hex');
  const line = `presage-origin 1 ${partition} ${origin.firstSeq} ${previousHash} ${origin.identity}`;
  await writeLine(files, dir, ORIGIN, line);
}

/** Segments from the origin onwards, or all segments if deleted ones were restored. */
export function keptSegments(segments: readonly Segment[], origin: Origin | undefined) {
  const isWhole = origin === undefined || segments[0]?.firstSeq === 1;
  return isWhole
    ? { segments, origin: undefined }
    : { segments: segments.filter(({ firstSeq }) => firstSeq >= origin.firstSeq), origin };
}

/** Fields of the single line of a file, whose checksum comes last; undefined if there is no file. */
async function readLine(files: JournalFiles, path: string, format: RegExp): Promise<string[] | 'damaged' | undefined> {
  try {
    const text = Buffer.from(await readWhole(files, path)).toString('latin1');
    const [, line = '', ...fields] = format.exec(text) ?? [];
    return fields.pop() === checksum(line) ? fields : 'damaged';
  } catch (error) {
    if (isErrorCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

function writeLine(files: JournalFiles, dir: string, name: string, line: string): Promise<void> {
  return replaceFile(files, dir, name, [Buffer.from(`${line} ${checksum(line)}\n`)]);
}

function checksum(line: string): string {
  return crc32c(Buffer.from(line, 'latin1')).toString(16).padStart(8, '0');
}
