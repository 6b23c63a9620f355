// The journal as anyone may read it: the frames of the markets with the bytes that are hashed, and the signed head of every partition.
import { encodeFrame, type Frame, type FrameSeal, toFrameSeal } from '@presage/journal';
import {
  decodeRecord,
  type Hex,
  hashHeads,
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

interface PublicJournalOptions {
  /** The only one whose records are public; keys, tokens and transactions are in the others. */
  readonly markets: ProvenLog;
  readonly others: readonly ProvenLog[];
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

export class PublicJournal {
  readonly #options: PublicJournalOptions;
  readonly #cursors: FrameCursors;
  /** Heads that wait for their time, oldest first; empty without a delay. */
  #unpublished: FrameSeal[] = [];
  #publishedSeq = 0;
  readonly #unsubscribe: () => void;
  #isClosed = false;
  #wake: (() => void)[] = [];
  readonly #ticker: NodeJS.Timeout | undefined;

  constructor(options: PublicJournalOptions) {
    this.#options = options;
    this.#cursors = new FrameCursors((fromSeq) => options.markets.readFrames(fromSeq));
    this.#noteHead();
    this.#unsubscribe = options.markets.subscribe(() => this.#noteHead());
    // Delayed frames become public without anything happening.
    this.#ticker = options.delayMs > 0 ? setInterval(() => this.#rouse(), POLL_MS).unref() : undefined;
  }

  get partition(): string {
    return this.#options.markets.partition;
  }

  get publicKey(): Hex {
    return this.#options.receipts.publicKey;
  }

  get delaySeconds(): number {
    return this.#options.delayMs / 1_000;
  }

  async page(query: FrameQuery): Promise<PublishedPage> {
    const { markets } = this.#options;
    const { limit } = query;
    // What was deleted cannot be shown: the page begins with what is left, and says so by its numbers.
    const fromSeq = Math.max(query.fromSeq, markets.firstSeq);
    const head = this.#signedHead(markets);
    const publishedSeq = this.#lastPublished();
    const frames = fromSeq > publishedSeq ? [] : await this.#cursors.page({ fromSeq, limit, untilMs: this.#untilMs() });
    const nextSeq = (frames.at(-1)?.lastSeq ?? fromSeq - 1) + 1;
    const published = frames.map((frame) => toPublished(frame, query.isDecoded));
    return { partition: markets.partition, frames: published, nextSeq, publishedSeq, head: head ?? null };
  }

  /** The newest frame of every partition that has one. */
  heads(): { heads: SignedFrame[]; hash: Hex } {
    const { markets, others } = this.#options;
    const heads = [markets, ...others].flatMap((log) => this.#signedHead(log) ?? []);
    return { heads, hash: hashHeads(heads) };
  }

  /** Of a record that is in the journal: the same signature as the first time, since Ed25519 draws nothing. */
  async receiptAt(seq: number): Promise<Receipt | undefined> {
    if (seq < this.#options.markets.firstSeq) return undefined;
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

  #signedHead(log: ProvenLog): SignedFrame | undefined {
    return log.head && this.#options.receipts.sign(log.head);
  }

  #untilMs(): number {
    const { delayMs, nowMs } = this.#options;
    return delayMs === 0 ? Number.POSITIVE_INFINITY : nowMs() - delayMs;
  }

  #noteHead(): void {
    const { markets, delayMs } = this.#options;
    const { head } = markets;
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
      signal.addEventListener('abort', () => resolve(), { once: true });
      this.#wake.push(resolve);
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
