// One partition of markets as anyone may read it: its frames with the bytes that are hashed, and its signed head.
import { encodeFrame, type Frame, type FrameSeal, toFrameSeal } from '@presage/journal';
import {
  decodeRecord,
  type Hex,
  type JournalRecord,
  type Receipt,
  type SignedFrame,
  toAcceptedJson,
  toHex,
} from '@presage/protocol';
import { FrameCursors } from './frame-cursors.ts';
import type { Receipts } from './receipts.ts';

/** A partition as far as the proof needs it. */
export interface ProvenLog {
  readonly partition: string;
  /** The oldest record that is kept. */
  readonly firstSeq: number;
  /** The newest durable frame. */
  readonly head: FrameSeal | undefined;
  readFrames(fromSeq: number): AsyncIterable<Frame>;
  subscribe(follower: () => void): () => void;
}

interface PublishedPartitionOptions {
  readonly log: ProvenLog;
  readonly receipts: Receipts;
  readonly nowMs: () => number;
  /** Records are published when they are this old. */
  readonly delayMs: number;
}

interface PublishedFrame {
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly timeMs: number;
  readonly hash: Hex;
  readonly previousHash: Hex;
  readonly bytes: string;
  readonly records?: PublishedRecord[];
}

type PublishedRecord = { readonly seq: number; readonly type: string } & Record<string, unknown>;

interface FrameQuery {
  readonly fromSeq: number;
  readonly limit: number;
  /** Whether the records come readable too. */
  readonly isDecoded: boolean;
}

interface PublishedPage {
  readonly partition: string;
  readonly frames: PublishedFrame[];
  readonly nextSeq: number;
  readonly publishedSeq: number;
  readonly head: SignedFrame | null;
}

const POLL_MS = 1_000;

export class PublishedPartition {
  readonly #options: PublishedPartitionOptions;
  readonly #cursors: FrameCursors;
  /** Heads that wait for their time, oldest first; empty without a delay. */
  #unpublished: FrameSeal[] = [];
  #publishedSeq = 0;
  readonly #unsubscribe: () => void;
  #isClosed = false;
  #wake: (() => void)[] = [];
  readonly #ticker: NodeJS.Timeout | undefined;

  constructor(options: PublishedPartitionOptions) {
    this.#options = options;
    this.#cursors = new FrameCursors((fromSeq) => options.log.readFrames(fromSeq));
    this.#noteHead();
    this.#unsubscribe = options.log.subscribe(() => this.#noteHead());
    // Delayed frames become public without anything happening.
    this.#ticker = options.delayMs > 0 ? setInterval(() => this.#rouse(), POLL_MS).unref() : undefined;
  }

  get partition(): string {
    return this.#options.log.partition;
  }

  async page(query: FrameQuery): Promise<PublishedPage> {
    const { log } = this.#options;
    const { limit } = query;
    // What was deleted cannot be shown: the page begins with what is left, and says so by its numbers.
    const fromSeq = Math.max(query.fromSeq, log.firstSeq);
    const head = log.head && this.#options.receipts.sign(log.head);
    const publishedSeq = this.#lastPublished();
    const frames = fromSeq > publishedSeq ? [] : await this.#cursors.page({ fromSeq, limit, untilMs: this.#untilMs() });
    const nextSeq = (frames.at(-1)?.lastSeq ?? fromSeq - 1) + 1;
    const published = frames.map((frame) => toPublished(frame, query.isDecoded));
    return { partition: log.partition, frames: published, nextSeq, publishedSeq, head: head ?? null };
  }

  /** Of a record that is in the journal: the same signature as the first time, since Ed25519 draws nothing. */
  async receiptAt(seq: number): Promise<Receipt | undefined> {
    if (seq < this.#options.log.firstSeq) return undefined;
    const [frame] = await this.#cursors.page({ fromSeq: seq, limit: 1, untilMs: Number.POSITIVE_INFINITY });
    return frame && this.#options.receipts.receiptOf(toFrameSeal(frame), seq);
  }

  /** Every frame from there on, as it is published, until the reader goes. */
  async *follow(query: FrameQuery, signal: AbortSignal): AsyncGenerator<PublishedFrame> {
    let { fromSeq } = query;
    while (!signal.aborted && !this.#isClosed) {
      const { frames, nextSeq } = await this.page({ ...query, fromSeq });
      yield* frames;
      fromSeq = nextSeq;
      if (frames.length === 0) await this.#changed(signal);
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#ticker);
    this.#unsubscribe();
    this.#rouse();
    await this.#cursors.close();
  }

  #untilMs(): number {
    const { delayMs, nowMs } = this.#options;
    return delayMs === 0 ? Number.POSITIVE_INFINITY : nowMs() - delayMs;
  }

  #noteHead(): void {
    const { log, delayMs } = this.#options;
    const { head } = log;
    if (head === undefined) return;
    if (delayMs === 0) this.#publishedSeq = head.lastSeq;
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
    if (due > 0) this.#publishedSeq = this.#unpublished.splice(0, due).at(-1)!.lastSeq;
    return this.#publishedSeq;
  }

  #changed(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal.aborted || this.#isClosed) return resolve();
      // Taken off again: a reader of a busy journal waits thousands of times.
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

function toPublished(frame: Frame, isDecoded: boolean): PublishedFrame {
  const { firstSeq, lastSeq, timeMs, records } = frame;
  const bytes = encodeFrame(frame, records);
  return {
    firstSeq,
    lastSeq,
    timeMs,
    hash: toHex(frame.hash),
    previousHash: toHex(frame.previousHash),
    bytes: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64'),
    ...(isDecoded && { records: records.map((record, index) => toReadable(firstSeq + index, decodeRecord(record))) }),
  };
}

/** As the journal writes it in JSON. */
function toReadable(seq: number, record: JournalRecord): PublishedRecord {
  return { seq, ...(record.type === 'order-accepted' ? toAcceptedJson(record) : record) };
}
