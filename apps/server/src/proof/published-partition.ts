// One public market partition: its frames with the bytes that are hashed, and its signed head.
import { type Frame, type FrameSeal, RecordsDeleted, toFrameSeal } from '@presage/journal';
import { LIMITS, type OrderHash, type Receipt } from '@presage/protocol';
import { FrameCursors, type JournalReader, type PageOptions } from './frame-cursors.ts';
import { PublishedFrame, PublishedPage } from './published-frame.ts';
import type { Receipts } from './receipts.ts';
import { type DurableRecords, RecentOrders } from './recent-orders.ts';

/** The part of a partition that proofs use. */
export interface ProvenLog {
  readonly partition: string;
  /** Sequence of the oldest kept record. */
  readonly firstSeq: number;
  /** Seal of the newest durable frame. */
  readonly head: FrameSeal | undefined;
  readFrames(fromSeq: number): AsyncIterable<Frame>;
  subscribe(follower: (batch: DurableRecords) => void): () => void;
}

export interface Publication {
  readonly receipts: Receipts;
  readonly nowMs: () => number;
  /** Age at which records are published. */
  readonly delayMs: number;
}

interface FrameQuery {
  readonly fromSeq: number;
  readonly limit: number;
  /** Whether to include the records in readable form. */
  readonly isDecoded: boolean;
  /** Reader of the frames; the service itself by default. */
  readonly reader?: JournalReader;
}

/** Reader of receipts, which are part of answers to traders: takes turns with readers of pages instead of waiting behind them. */
const SERVICE: JournalReader = { name: 'service', hasLeft: () => false };
const POLL_MS = 1_000;
/** Bytes per read of a stream; smaller than a page, since a stream has no round trip between two reads. */
const STREAM_BYTES = 256 * 1_024;
/** Initial distance from the head in the search for a public record; quadrupled until one is found. */
const LOOKED_BACK = 1_000;

export class PublishedPartition {
  readonly #log: ProvenLog;
  readonly #options: Publication;
  readonly #cursors: FrameCursors;
  readonly #recent = new RecentOrders();
  /** Frames waiting for publication, oldest first; empty without a delay. */
  #unpublished: FrameSeal[] = [];
  #publishedSeq = 0;
  /** Resolves when `#unpublished` includes frames from before this start; undefined until first needed. */
  #recalled: Promise<void> | undefined;
  readonly #unsubscribe: () => void;
  #isClosed = false;
  #wake: (() => void)[] = [];
  readonly #ticker: NodeJS.Timeout | undefined;

  constructor(log: ProvenLog, options: Publication) {
    this.#log = log;
    this.#options = options;
    this.#cursors = new FrameCursors((fromSeq) => log.readFrames(fromSeq));
    this.#noteHead();
    this.#unsubscribe = log.subscribe((batch) => {
      this.#noteHead();
      this.#recent.note(batch);
    });
    // Delayed frames become public by time alone; without readers they must not pile up.
    const onTime = () => {
      this.#lastPublished();
      this.#rouse();
    };
    this.#ticker = options.delayMs > 0 ? setInterval(onTime, POLL_MS).unref() : undefined;
  }

  get partition(): string {
    return this.#log.partition;
  }

  async page(query: FrameQuery, maxBytes: number = LIMITS.journalPageBytes): Promise<PublishedPage> {
    const log = this.#log;
    const { fromSeq, limit, isDecoded, reader = SERVICE } = query;
    const head = log.head && this.#options.receipts.sign(log.head);
    if (this.#options.delayMs > 0) await this.#recall();
    const publishedSeq = this.#lastPublished();
    const range = { reader, fromSeq, limit, maxBytes, untilMs: this.#untilMs() };
    const read = fromSeq > publishedSeq ? [] : await this.#readKept(range);
    const frames = read.map((frame) => new PublishedFrame(frame, isDecoded));
    const nextSeq = (frames.at(-1)?.lastSeq ?? Math.max(fromSeq, log.firstSeq) - 1) + 1;
    return new PublishedPage(log.partition, frames, { nextSeq, publishedSeq, head: head ?? null });
  }

  /** Receipt of a record; always with the same signature, since Ed25519 is deterministic. */
  async receiptAt(seq: number): Promise<Receipt | undefined> {
    const range = { reader: SERVICE, fromSeq: seq, limit: 1, maxBytes: 0, untilMs: Number.POSITIVE_INFINITY };
    const [frame] = await this.#readKept(range);
    if (frame === undefined || frame.firstSeq > seq) return undefined;
    return this.#options.receipts.receiptOf(toFrameSeal(frame), seq);
  }

  /** Receipt of a recently accepted order; undefined if this node has not seen it or has dropped it. */
  recentReceipt(orderHash: OrderHash): Receipt | undefined {
    const accepted = this.#recent.find(orderHash);
    return accepted && this.#options.receipts.receiptOf(accepted.frame, accepted.seq);
  }

  /** Yields every frame from a position on, in groups, as they are published, until the reader leaves. */
  async *follow(query: FrameQuery, signal: AbortSignal): AsyncGenerator<readonly PublishedFrame[]> {
    let { fromSeq } = query;
    while (!signal.aborted && !this.#isClosed) {
      const { frames, nextSeq } = await this.page({ ...query, fromSeq }, STREAM_BYTES);
      fromSeq = nextSeq;
      if (frames.length > 0) yield frames;
      else await this.#changed(signal);
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#ticker);
    this.#unsubscribe();
    this.#rouse();
    await this.#cursors.close();
  }

  /** Reads frames; starts at the oldest kept record if the requested ones were deleted, which the page's sequences show. */
  async #readKept(range: PageOptions): Promise<Frame[]> {
    try {
      return await this.#cursors.page(range);
    } catch (error) {
      if (!(error instanceof RecordsDeleted) || error.firstSeq <= range.fromSeq) throw error;
      return this.#readKept({ ...range, fromSeq: error.firstSeq });
    }
  }

  #untilMs(): number {
    const { delayMs, nowMs } = this.#options;
    return delayMs === 0 ? Number.POSITIVE_INFINITY : nowMs() - delayMs;
  }

  #noteHead(): void {
    const { head } = this.#log;
    if (head === undefined) return;
    if (this.#options.delayMs === 0) this.#publishedSeq = head.lastSeq;
    else if (this.#unpublished.at(-1) !== head) this.#unpublished.push(head);
    if (this.#wake.length > 0) this.#rouse();
  }

  #lastPublished(): number {
    const untilMs = this.#untilMs();
    let due = 0;
    for (const { timeMs } of this.#unpublished) {
      if (timeMs > untilMs) break;
      due++;
    }
    const newest = this.#unpublished.splice(0, due).at(-1);
    this.#publishedSeq = Math.max(this.#publishedSeq, newest?.lastSeq ?? 0);
    return this.#publishedSeq;
  }

  /** Loads earlier frames. After a start only the head is known, and while it waits, frames that were public must not disappear. */
  #recall(): Promise<void> {
    this.#recalled ??= this.#readEarlier(this.#unpublished[0]).catch((error: unknown) => {
      this.#recalled = undefined;
      throw error;
    });
    return this.#recalled;
  }

  async #readEarlier(oldest: FrameSeal | undefined): Promise<void> {
    // If this run has published anything, all earlier frames are public, too.
    if (oldest === undefined || this.#publishedSeq > 0) return;
    const earlier: FrameSeal[] = [];
    for await (const frame of this.#log.readFrames(await this.#findPublic(oldest.firstSeq))) {
      if (frame.firstSeq >= oldest.firstSeq) break;
      earlier.push(toFrameSeal(frame));
    }
    this.#unpublished = [...earlier, ...this.#unpublished];
  }

  /** Sequence of a record that is public by now, or of the oldest kept one. */
  async #findPublic(beforeSeq: number): Promise<number> {
    const { firstSeq } = this.#log;
    for (let back = LOOKED_BACK; ; back *= 4) {
      const seq = Math.max(firstSeq, beforeSeq - back);
      if (seq === firstSeq || (await this.#timeOf(seq)) <= this.#untilMs()) return seq;
    }
  }

  async #timeOf(seq: number): Promise<number> {
    for await (const { timeMs } of this.#log.readFrames(seq)) return timeMs;
    throw new Error(`there is no record ${seq}`);
  }

  #changed(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal.aborted || this.#isClosed) return resolve();
      // Removes the listener, since a reader of a busy journal waits thousands of times.
      const end = () => {
        signal.removeEventListener('abort', end);
        resolve();
      };
      signal.addEventListener('abort', end, { once: true });
      this.#wake.push(end);
    });
  }

  #rouse(): void {
    const wake = this.#wake;
    this.#wake = [];
    for (const resolve of wake) resolve();
  }
}
