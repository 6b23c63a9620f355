// Reads frames page by page, with open cursors so that the next page continues where the previous one ended.
import { type Frame, RecordsDeleted } from '@presage/journal';
import { PresageError } from '@presage/protocol';
import { FairQueue } from '@presage/runtime';

interface Cursor {
  readonly nextSeq: number;
  readonly frames: AsyncIterator<Frame>;
  /** Frame read ahead. */
  readonly pending: Frame | undefined;
  readonly timer: NodeJS.Timeout;
}

/** A reader of pages. */
export interface JournalReader {
  /** Name under which the reader takes turns; for strangers the key of their address. */
  readonly name: string;
  /** Whether the reader has left. */
  readonly hasLeft: () => boolean;
}

export interface PageOptions {
  readonly reader: JournalReader;
  readonly fromSeq: number;
  readonly limit: number;
  /** Limit on the bytes of all records together. */
  readonly maxBytes: number;
  /** Time up to which frames are published. */
  readonly untilMs: number;
}

/** Maximum of open cursors. An archived segment is unpacked whole, so without cursors it would be unpacked hundreds of times. */
const MOST_OPEN = 8;
const IDLE_MS = 5_000;
/** Maximum of pages queued for one name; further ones are refused with 503 `overloaded`. */
const MOST_WAITING = 64;

export class FrameCursors {
  readonly #read: (fromSeq: number) => AsyncIterable<Frame>;
  #open: Cursor[] = [];
  /** Queue of reads: one page at a time, because a read may unpack an archived file; readers take turns. */
  readonly #reads = new FairQueue();

  constructor(read: (fromSeq: number) => AsyncIterable<Frame>) {
    this.#read = read;
  }

  /** Reads whole frames of up to `limit` records and `maxBytes`, but at least one frame if there is any. */
  async page(options: PageOptions): Promise<Frame[]> {
    const { name, hasLeft } = options.reader;
    if (this.#reads.waitingOf(name) >= MOST_WAITING) throw new PresageError('overloaded');
    return this.#reads.run(name, () => (hasLeft() ? [] : this.#page(options)));
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
      next = await nextKept(frames);
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

  /** Closes the file of a dropped cursor. */
  #drop(cursor: Cursor): void {
    clearTimeout(cursor.timer);
    this.#open = this.#open.filter((each) => each !== cursor);
    void Promise.resolve(cursor.frames.return?.()).catch(() => undefined);
  }
}

/** Reads the next frame. If it was deleted meanwhile, the page ends before it, so that frames already read are still returned. */
async function nextKept(frames: AsyncIterator<Frame>): Promise<Frame | undefined> {
  try {
    return (await frames.next()).value;
  } catch (error) {
    if (error instanceof RecordsDeleted) return undefined;
    throw error;
  }
}

function bytesOf({ records }: Frame): number {
  return records.reduce((sum, { length }) => sum + length, 0);
}
