// Checks one partition of markets as the operator publishes it: its journal, its signed head and receipts, and earlier verifications.
import { parseFrame } from '@presage/journal/layout';
import { decodeRecord, type Hex, type Receipt, type SignedFrame, toHex } from '@presage/protocol';
import { PresageApiError } from '../errors.ts';
import type { Http } from '../http.ts';
import type { SubmitOrderResponse } from '../types.ts';
import { bytesOfBase64 } from './base64.ts';
import type { VerifiedPoint } from './checks/frame-check.ts';
import { Violation } from './checks/violation.ts';
import type { JournalVerifier } from './journal-verifier.ts';
import { ReceiptCheck } from './receipt-check.ts';

/** The receipt from an order's answer, with the order's hash. */
export interface KeptReceipt {
  readonly orderHash: string;
  readonly receipt: NonNullable<SubmitOrderResponse['receipt']>;
}

export interface PartitionCheckOptions {
  readonly http: Http;
  readonly signal?: AbortSignal | undefined;
  readonly receiptKey: Hex;
  readonly verifier: JournalVerifier;
  /** Point where an earlier verification ended. */
  readonly previous: VerifiedPoint | undefined;
  readonly receipts: readonly KeptReceipt[];
  /** Called after each checked page. */
  readonly onProgress: () => void;
}

interface JournalPage {
  readonly frames: readonly { readonly bytes: string }[];
  readonly nextSeq: number;
  readonly publishedSeq: number;
  readonly head: SignedFrame | null;
}

const NOTHING_THERE: Omit<JournalPage, 'nextSeq'> = { frames: [], publishedSeq: 0, head: null };
const PAGE_RECORDS = 10_000;
/** How late an operator may publish signed records. */
const LATE_MS = 60_000;

export class PartitionCheck {
  readonly verifier: JournalVerifier;
  /** Sequence of the last record that an earlier verification had checked. */
  readonly resumedFrom: number;
  readonly #options: PartitionCheckOptions;
  readonly #receipts: ReceiptCheck;
  #head: SignedFrame | null = null;
  #publishedSeq = 0;

  constructor(options: PartitionCheckOptions) {
    this.#options = options;
    this.verifier = options.verifier;
    this.#receipts = new ReceiptCheck(options.receiptKey, options.verifier.frames);
    this.resumedFrom = options.verifier.point.lastSeq;
  }

  get partition(): string {
    return this.verifier.point.partition;
  }

  get head(): SignedFrame | null {
    return this.#head;
  }

  get publishedSeq(): number {
    return this.#publishedSeq;
  }

  get receiptCount(): number {
    return this.#receipts.count;
  }

  /** Whether the operator has signed more than it publishes. */
  get isPartial(): boolean {
    return this.#head !== null && this.#head.lastSeq > this.verifier.point.lastSeq;
  }

  /** Fetches the next page while the current one is checked. */
  async readJournal(): Promise<void> {
    let coming = this.#page(this.verifier.point.lastSeq + 1);
    for (;;) {
      const page = await coming;
      if (page.frames.length > 0) {
        coming = this.#page(page.nextSeq);
        // The next round awaits it; this only prevents an unhandled rejection until then.
        coming.catch(() => undefined);
      }
      for (const { bytes } of page.frames) {
        this.#options.signal?.throwIfAborted();
        await this.verifier.add(bytesOfBase64(bytes));
      }
      if (page.head !== null) await this.#receipts.checkHead(page.head, this.verifier.point.lastSeq);
      this.#head = page.head;
      this.#publishedSeq = page.publishedSeq;
      this.#options.onProgress();
      if (page.frames.length === 0) return this.#requireAll(page.publishedSeq);
      if (page.nextSeq > page.publishedSeq) return;
    }
  }

  /** A single answer says both how much is published and that no more follows. */
  #requireAll(publishedSeq: number): void {
    const { lastSeq } = this.verifier.point;
    if (publishedSeq <= lastSeq) return;
    const detail = `${publishedSeq} are said to be published, and nothing is given after ${lastSeq}`;
    throw new Violation('records_withheld', detail, lastSeq + 1);
  }

  /** Records signed a moment ago must be published by now, unless the operator declares a delay. */
  async checkPublished(delayMs: number): Promise<void> {
    const signed = this.#head;
    if (signed === null || signed.lastSeq <= this.verifier.point.lastSeq || delayMs > 0) return;
    await this.readJournal();
    const { lastSeq } = this.verifier.point;
    if (signed.lastSeq <= lastSeq) return;
    throw new Violation('records_withheld', `${signed.lastSeq} are signed, ${lastSeq} are published`, lastSeq + 1);
  }

  /** The last frame of an earlier verification commits to everything before it: if it is unchanged, so is the rest. */
  async checkPrevious(): Promise<void> {
    const { previous } = this.#options;
    if (previous === undefined || previous.lastSeq === 0) return;
    const { known, isDeleted } = await this.#frameAt(previous.lastSeq);
    if (known === previous.frameHash) return;
    if (isDeleted)
      throw new Violation('sequence_gap', `record ${previous.lastSeq} is not published any more`, previous.lastSeq);
    const detail = `the frame that ends at ${previous.lastSeq} was ${previous.frameHash}, now it is ${known ?? 'gone'}`;
    throw new Violation('history_rewritten', detail, previous.lastSeq);
  }

  async checkReceipts(delayMs: number): Promise<void> {
    const { lastSeq, timeMs } = this.verifier.point;
    for (const { orderHash, receipt } of this.#options.receipts) {
      const isLate = receipt.timeMs + delayMs + LATE_MS < Math.max(timeMs, this.#head?.timeMs ?? 0);
      const isWhole = (this.#head?.lastSeq ?? 0) === lastSeq;
      // Hashes on the wire are hex.
      await this.#receipts.check(receipt as Receipt, lastSeq, isLate || isWhole);
      if (receipt.seq <= lastSeq && !(await this.#hasOrder(receipt, orderHash))) {
        throw new Violation('receipt_unkept', `there is no order ${orderHash} at its place`, receipt.seq);
      }
    }
  }

  /**
   * Whether the record of a receipt holds the order. Records of an earlier verification are read again; the receipt's
   * check has already compared their frame. If that frame was deleted since, nothing else can be checked.
   */
  async #hasOrder({ seq, lastSeq, frameHash }: KeptReceipt['receipt'], orderHash: string): Promise<boolean> {
    if (seq > this.resumedFrom) return this.verifier.history.watched.get(seq) === orderHash;
    const { parsed, known, isDeleted } = await this.#frameAt(lastSeq);
    if (isDeleted) return true;
    if (parsed === undefined || known !== frameHash) return false;
    const record = decodeRecord(parsed.records[seq - parsed.firstSeq]!);
    return 'orderHash' in record && record.orderHash === orderHash;
  }

  /** The frame that holds a record, or the oldest one if the operator has deleted it. */
  async #frameAt(seq: number) {
    const [frame] = (await this.#page(seq)).frames;
    const bytes = frame && bytesOfBase64(frame.bytes);
    const found = bytes && parseFrame(bytes);
    const parsed = found && !('fault' in found) ? found : undefined;
    const isDeleted = parsed !== undefined && parsed.firstSeq > seq;
    return { parsed, known: bytes && toHex(this.verifier.sha256(bytes)), isDeleted };
  }

  /**
   * Finds which of these orders were accepted in the part checked by an earlier verification. The frames read now must
   * be that part.
   */
  async findEarlier(orderHashes: ReadonlySet<string>): Promise<string[]> {
    const found: string[] = [];
    for (let fromSeq = 1; fromSeq <= this.resumedFrom; ) {
      let lastSeq = 0;
      for (const { bytes } of (await this.#page(fromSeq)).frames) {
        const frame = this.#earlierFrame(bytesOfBase64(bytes), fromSeq);
        if (frame === undefined) return found;
        lastSeq = frame.lastSeq;
        for (const record of frame.records.map(decodeRecord)) {
          if (record.type === 'order-accepted' && orderHashes.has(record.orderHash)) found.push(record.orderHash);
        }
      }
      // The page repeats earlier frames or has none.
      if (lastSeq < fromSeq) break;
      fromSeq = lastSeq + 1;
    }
    return found;
  }

  /** Undefined if the frame comes after the part that was checked. */
  #earlierFrame(bytes: Uint8Array, fromSeq: number) {
    const frame = parseFrame(bytes);
    if ('fault' in frame) throw new Violation('frame_damaged', `the frame has a bad ${frame.fault}`, fromSeq);
    if (frame.lastSeq > this.resumedFrom) return undefined;
    const [known, given] = [this.verifier.frames.get(frame.lastSeq)?.frameHash, toHex(this.verifier.sha256(bytes))];
    if (known === given) return frame;
    const detail = `the frame that ends at ${frame.lastSeq} was ${known ?? 'not there'}, now it is ${given}`;
    throw new Violation('history_rewritten', detail, frame.lastSeq);
  }

  /** A partition unknown to the operator counts as empty; the check of a receipt of it will fail. */
  async #page(fromSeq: number): Promise<JournalPage> {
    const { http, signal } = this.#options;
    const query = { fromSeq, limit: PAGE_RECORDS, records: 'none' };
    try {
      return await http.get<JournalPage>(`/api/v1/journal/${this.partition}`, query, { signal });
    } catch (error) {
      if (error instanceof PresageApiError && error.status === 404) return { ...NOTHING_THERE, nextSeq: fromSeq };
      throw error;
    }
  }
}
