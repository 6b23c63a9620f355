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
  /** Of all records together. */
  readonly maxBytes: number;
  /** Frames after this time are not given out yet. */
  readonly untilMs: number;
}

/** An archived segment is unpacked whole: to begin anew for each page of it would unpack it hundreds of times. */
const MOST_OPEN = 8;
const IDLE_MS = 5_000;

export class FrameCursors {
  readonly #read: (fromSeq: number) => AsyncIterable<Frame>;
  #open: Cursor[] = [];
  /** One page is read at a time, however many readers ask: reading takes a piece of a file, and may unpack an archived one. */
  readonly #reads = new SerialQueue();

  constructor(read: (fromSeq: number) => AsyncIterable<Frame>) {
    this.#read = read;
  }

  /** Whole frames, until they hold `limit` records; at least one if there is one, else no more than `maxBytes`. */
  page(options: PageOptions): Promise<Frame[]> {
    return this.#reads.run(() => this.#page(options));
  }

  async close(): Promise<void> {
    const open = this.#open;
    this.#open = [];
    for (const cursor of open) {
      clearTimeout(cursor.timer);
      await cursor.frames.return?.();
    }
  }

  async #page({ fromSeq, limit, maxBytes, untilMs }: PageOptions): Promise<Frame[]> {
    const cursor = this.#take(fromSeq);
    const frames = cursor?.frames ?? this.#read(fromSeq)[Symbol.asyncIterator]();
    const page: Frame[] = [];
    let next = cursor?.pending ?? (await frames.next()).value;
    let [records, bytes] = [0, 0];
    while (next !== undefined && next.timeMs <= untilMs && records < limit) {
      bytes += bytesOf(next);
      if (page.length > 0 && bytes > maxBytes) break;
      page.push(next);
      records += next.records.length;
      next = (await frames.next()).value;
    }
    if (next !== undefined) this.#keep(next.firstSeq, frames, next);
    return page;
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

function bytesOf({ records }: Frame): number {
  return records.reduce((sum, { length }) => sum + length, 0);
}
