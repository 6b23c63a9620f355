// The mark: a small file that remembers how far the journal was once known to be durable.

import { SerialQueue } from '@presage/runtime';
import { isErrorCode } from '@presage/runtime/node';
import { crc32c } from '../crc32c.ts';
import { JournalCorrupt } from '../errors.ts';
import type { Frame } from '../frame.ts';
import { type JournalFiles, readWhole, replaceFile } from './files.ts';

/*
 * By itself the last frame cannot prove that it was acknowledged: a damaged one looks like one that was torn in flight. The mark
 * settles that for everything up to it. It is raised when a segment is full, with each checkpoint and at close; it is only ever a
 * lower bound, so an old one is still true. What remains open: frames after the last mark of a process that was killed.
 */
export interface MarkPoint {
  readonly seq: number;
  /** SHA-256 of the frame that ends at `seq`, hexadecimal. */
  readonly hash: string;
}

const NAME = 'mark';
const LINE = /^(presage-mark 1 ([a-z0-9-]+) (\d+) ([0-9a-f]{64})) ([0-9a-f]{8})\n$/;

export interface MarkOptions {
  files: JournalFiles;
  dir: string;
  partition: string;
}

export class Mark {
  readonly #options: MarkOptions;
  readonly #queue = new SerialQueue();
  #raised: number;

  constructor(options: MarkOptions, point: MarkPoint | undefined) {
    this.#options = options;
    this.#raised = point?.seq ?? 0;
  }

  raise(point: MarkPoint): Promise<void> {
    return this.#queue.run(() => this.#write(point));
  }

  async #write(point: MarkPoint): Promise<void> {
    if (point.seq <= this.#raised) return;
    const { files, dir, partition } = this.#options;
    const line = `presage-mark 1 ${partition} ${point.seq} ${point.hash}`;
    await replaceFile(files, dir, NAME, [Buffer.from(`${line} ${checksum(line)}\n`)]);
    this.#raised = point.seq;
  }
}

/** A damaged mark is not treated as a missing one: it protects nothing, and the operator should know. */
export async function readMark(files: JournalFiles, dir: string): Promise<MarkPoint | 'damaged' | undefined> {
  try {
    const [, line, , seq, hash, sum] =
      LINE.exec(Buffer.from(await readWhole(files, `${dir}/${NAME}`)).toString('latin1')) ?? [];
    if (line === undefined || hash === undefined || sum !== checksum(line)) return 'damaged';
    return { seq: Number(seq), hash };
  } catch (error) {
    if (isErrorCode(error, 'ENOENT')) return undefined;
    throw error;
  }
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

function checksum(line: string): string {
  return crc32c(Buffer.from(line, 'latin1')).toString(16).padStart(8, '0');
}
