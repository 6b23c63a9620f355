// Reading frames page by page: a reader who comes back for the next page continues where the last one ended.
import { type Frame, RecordsDeleted } from '@presage/journal';
import { PresageError } from '@presage/protocol';
import { FairQueue } from '@presage/runtime';

interface Cursor {
  readonly nextSeq: number;
  readonly frames: AsyncIterator<Frame>;
  /** Frames that were read ahead. */
  readonly pending: Frame | undefined;
  readonly timer: NodeJS.Timeout;
}

/** Whoever asks for pages. */
export interface JournalReader {
  /** Readers of one name take one turn: the key of an address, for strangers. */
  readonly name: string;
  /** Whether nobody waits for the page any more. */
  readonly hasLeft: () => boolean;
}

export interface PageOptions {
  readonly reader: JournalReader;
  readonly fromSeq: number;
  readonly limit: number;
  /** Limit for all records together. */
  readonly maxBytes: number;
  /** Frames after this time are not published yet. */
  readonly untilMs: number;
}

/** Cursors are kept because an archived segment is unpacked whole: starting over for each page would unpack it hundreds of times. */
const MOST_OPEN = 8;
const IDLE_MS = 5_000;
/** Pages that may wait for one name; its next one is refused with 503 `overloaded`. */
const MOST_WAITING = 64;

export class FrameCursors {
  readonly #read: (fromSeq: number) => AsyncIterable<Frame>;
  #open: Cursor[] = [];
  /** Reads one page at a time for all readers, because a read may unpack an archived file; readers take turns. */
  readonly #reads = new FairQueue();

  constructor(read: (fromSeq: number) => AsyncIterable<Frame>) {
    this.#read = read;
  }

  /** Whole frames with up to `limit` records and `maxBytes`, but at least one frame if there is any. */
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

/** What was read is still given where what follows was deleted meanwhile: the page ends before it. */
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
