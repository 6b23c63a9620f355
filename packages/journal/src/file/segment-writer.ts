// Writes frames at the tail: into preallocated space, and into a new segment when the current one is full.

import { codeOf, sleep } from '@presage/runtime';
import { type JournalFile, type JournalFiles, readFully, writeFully } from './files.ts';
import type { Tail } from './scan.ts';
import { createSegment, type Segment, writeZeros } from './segments.ts';

/*
 * Node has no fallocate, so space is allocated by writing zeros. Doing that for 64 MB at once takes a tenth of a second here and
 * a second on a slow disk, for each of many partitions, most of which stay small. So a segment grows towards its size in steps,
 * and the next step is taken in the background while there is still room: an append then waits for it only when frames come
 * faster than zeros can be written.
 */
export interface SegmentWriterOptions {
  files: JournalFiles;
  dir: string;
  segmentBytes: number;
  growBytes: number;
}

export class SegmentWriter {
  readonly #options: SegmentWriterOptions;
  #segment: Segment;
  #file: JournalFile;
  #end: number;
  #allocated: number;
  #growing: Promise<void> | undefined;
  #growFailure: unknown;

  private constructor(options: SegmentWriterOptions, segment: Segment, file: JournalFile) {
    this.#options = options;
    this.#segment = segment;
    this.#file = file;
    this.#end = 0;
    this.#allocated = 0;
  }

  static async create(options: SegmentWriterOptions, firstSeq: number): Promise<SegmentWriter> {
    const bytes = Math.min(options.growBytes, options.segmentBytes);
    const { segment, file } = await createSegment(options.files, options.dir, { firstSeq, bytes });
    const writer = new SegmentWriter(options, segment, file);
    writer.#allocated = bytes;
    return writer;
  }

  /**
   * Resumes after a restart: cuts off a torn frame and makes the last complete one durable, as well as the segment's
   * name: the previous process may have been killed between the rename and the sync of the folder.
   */
  static async resume(options: SegmentWriterOptions, tail: Tail): Promise<SegmentWriter> {
    const file = await options.files.open(tail.segment.path, 'write');
    try {
      await settleTail(file, tail);
      await options.files.syncDir(options.dir);
    } catch (error) {
      await file.close();
      throw error;
    }
    const writer = new SegmentWriter(options, tail.segment, file);
    writer.#end = tail.end;
    writer.#allocated = tail.size;
    return writer;
  }

  get segment(): Segment {
    return this.#segment;
  }

  /** Durable when it resolves. */
  async write(bytes: Uint8Array, firstSeq: number): Promise<{ segment: Segment; end: number }> {
    if (this.#end > 0 && this.#end + bytes.length > this.#options.segmentBytes)
      await this.#roll(firstSeq, bytes.length);
    await this.#reserve(this.#end + bytes.length);
    await writeFully(this.#file, bytes, this.#end);
    await this.#file.datasync();
    // A failed sync of the zeros may have marked the pages of this frame as clean: then a sync of this frame proves nothing.
    if (this.#growFailure !== undefined) throw this.#growFailure;
    this.#end += bytes.length;
    this.#growAhead();
    return { segment: this.#segment, end: this.#end };
  }

  async close(): Promise<void> {
    await this.#growing;
    await this.#file.close();
  }

  async #roll(firstSeq: number, atLeast: number): Promise<void> {
    await this.close();
    const { files, dir, growBytes, segmentBytes } = this.#options;
    const bytes = Math.max(Math.min(growBytes, segmentBytes), atLeast);
    const { segment, file } = await whenThereIsRoom(() => createSegment(files, dir, { firstSeq, bytes }));
    this.#segment = segment;
    this.#file = file;
    this.#end = 0;
    this.#allocated = bytes;
  }

  async #reserve(end: number): Promise<void> {
    await (this.#allocated < end ? this.#growing : undefined);
    if (this.#growFailure !== undefined) throw this.#growFailure;
    if (this.#allocated < end) await whenThereIsRoom(() => this.#grow(end));
  }

  #growAhead(): void {
    const { growBytes, segmentBytes } = this.#options;
    if (this.#growing || this.#allocated >= segmentBytes || this.#allocated - this.#end > growBytes / 2) return;
    this.#growing = this.#grow(this.#allocated + 1)
      .catch((error: unknown) => {
        // A full disk will be met again, and waited for, by the append that needs the room.
        if (!isDiskFull(error)) this.#growFailure = error;
      })
      .finally(() => {
        this.#growing = undefined;
      });
  }

  async #grow(atLeast: number): Promise<void> {
    const { growBytes, segmentBytes } = this.#options;
    const target = Math.max(atLeast, Math.min(this.#allocated + growBytes, segmentBytes));
    await writeZeros(this.#file, this.#allocated, target);
    await this.#file.datasync();
    this.#allocated = target;
  }
}

/**
 * The last complete frame may have reached only the page cache before the process died, and after a failed sync the
 * kernel may even hold it as clean without having stored it. Writing the same bytes again makes it dirty, so that this
 * sync really decides.
 */
async function settleTail(file: JournalFile, tail: Tail): Promise<void> {
  if (tail.tornEnd > tail.end) await writeZeros(file, tail.end, tail.tornEnd);
  if (tail.lastFrame !== undefined) {
    const { offset } = tail.lastFrame;
    const frame = new Uint8Array(tail.end - offset);
    const got = await readFully(file, frame, offset);
    if (got !== frame.length) throw new Error(`The last frame of ${tail.segment.path} could not be read back.`);
    await writeFully(file, frame, offset);
  }
  await file.datasync();
}

const FULL = new Set<unknown>(['ENOSPC', 'EDQUOT']);
/** An operator has to act: twice a second is soon enough. */
const PAUSE_MS = 500;

function isDiskFull(error: unknown): boolean {
  return FULL.has(codeOf(error));
}

/** `work` starts over each time, so it must not depend on what a previous attempt left. */
export async function whenThereIsRoom<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isDiskFull(error)) throw error;
      await sleep(PAUSE_MS);
    }
  }
}
