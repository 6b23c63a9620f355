// Reading frames page by page: a reader who comes back for the next page continues where the last one ended.
import type { Frame } from '@presage/journal';
import { SerialQueue } from '@presage/runtime';

interface Cursor {
  readonly nextSeq: number;
  readonly frames: AsyncIterator<Frame>;
  /** Read, and not yet wanted. */
  readonly pending: Frame | undefined;
  readonly timer: NodeJS.Timeout;
}

interface PageOptions {
  readonly fromSeq: number;
  readonly limit: number;
  /** Frames after this time are not given out yet. */
  readonly untilMs: number;
}

/** An archived segment is unpacked whole: to begin anew for each page of it would unpack it hundreds of times. */
const MOST_OPEN = 8;
const IDLE_MS = 5_000;
const PAGE_BYTES = 1024 * 1024;

export class FrameCursors {
  readonly #read: (fromSeq: number) => AsyncIterable<Frame>;
  #open: Cursor[] = [];
  /** One archived segment is unpacked at a time, however many readers ask. */
  readonly #openings = new SerialQueue();

  constructor(read: (fromSeq: number) => AsyncIterable<Frame>) {
    this.#read = read;
  }

  /** Whole frames, at least one if there is one, until they hold `limit` records. */
  async page({ fromSeq, limit, untilMs }: PageOptions): Promise<Frame[]> {
    const cursor = this.#take(fromSeq);
    const frames = cursor?.frames ?? this.#read(fromSeq)[Symbol.asyncIterator]();
    const page: Frame[] = [];
    let next = cursor?.pending ?? (await this.#openings.run(() => frames.next())).value;
    let [records, bytes] = [0, 0];
    while (next !== undefined && next.timeMs <= untilMs) {
      page.push(next);
      records += next.records.length;
      for (const record of next.records) bytes += record.length;
      next = (await frames.next()).value;
      if (records >= limit || bytes >= PAGE_BYTES) break;
    }
    if (next !== undefined) this.#keep(next.firstSeq, frames, next);
    return page;
  }

  async close(): Promise<void> {
    const open = this.#open;
    this.#open = [];
    for (const cursor of open) {
      clearTimeout(cursor.timer);
      await cursor.frames.return?.();
    }
  }

  #take(fromSeq: number): Cursor | undefined {
    const cursor = this.#open.find(({ nextSeq }) => nextSeq === fromSeq);
    if (cursor === undefined) return undefined;
    this.#open = this.#open.filter((each) => each !== cursor);
    clearTimeout(cursor.timer);
    return cursor;
  }

  #keep(nextSeq: number, frames: AsyncIterator<Frame>, pending: Frame): void {
    const timer = setTimeout(() => this.#drop(cursor), IDLE_MS).unref();
    const cursor: Cursor = { nextSeq, frames, pending, timer };
    this.#open.push(cursor);
    if (this.#open.length > MOST_OPEN) this.#drop(this.#open[0]!);
  }

  /** So that its file is closed. */
  #drop(cursor: Cursor): void {
    clearTimeout(cursor.timer);
    this.#open = this.#open.filter((each) => each !== cursor);
    void Promise.resolve(cursor.frames.return?.()).catch(() => undefined);
  }
}
