// Checks receipts and signed heads against the published journal: the operator must have one history.
import { fromHex, type Hex, type Receipt, receiptText, type SignedFrame } from '@presage/protocol/browser';
import { Violation } from './checks/violation.ts';
import type { KnownFrame } from './journal-verifier.ts';

type PlatformKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

/** Checks the operator's signatures, and compares signed frames with those that were read. */
export class ReceiptCheck {
  readonly #key: Promise<PlatformKey>;
  readonly #frames: ReadonlyMap<number, KnownFrame>;
  count = 0;

  constructor(publicKey: Hex, frames: ReadonlyMap<number, KnownFrame>) {
    const bytes = Uint8Array.from(fromHex(publicKey));
    this.#key = crypto.subtle.importKey('raw', bytes, 'Ed25519', false, ['verify']);
    this.#frames = frames;
  }

  /** `lastSeq` is the end of the published journal; a head beyond it is not published yet. */
  async checkHead(head: SignedFrame, lastSeq: number): Promise<void> {
    if (!(await this.#isSigned(head))) throw new Violation('head_forged', placeOf(head), head.lastSeq);
    const known = this.#frames.get(head.lastSeq);
    if (head.lastSeq <= lastSeq && !isFrame(known, head)) {
      throw new Violation('head_differs', `${placeOf(head)} is signed; published is ${describe(known)}`, head.lastSeq);
    }
  }

  /** Checks a receipt of a trader. `isLate` if it should have been published by now. */
  async check(receipt: Receipt, lastSeq: number, isLate: boolean): Promise<void> {
    const { seq, firstSeq } = receipt;
    const isInside = firstSeq <= seq && seq <= receipt.lastSeq;
    if (!isInside || !(await this.#isSigned(receipt))) throw new Violation('receipt_forged', placeOf(receipt), seq);
    if (receipt.lastSeq > lastSeq) {
      if (isLate) throw new Violation('receipt_unkept', `the journal ends at ${lastSeq}`, seq);
      return;
    }
    const known = this.#frames.get(receipt.lastSeq);
    if (!isFrame(known, receipt)) {
      const detail = `the receipt is for ${placeOf(receipt)}; published is ${describe(known)}`;
      throw new Violation('two_histories', detail, seq);
    }
    this.count++;
  }

  async #isSigned(frame: SignedFrame): Promise<boolean> {
    if (!/^0x[0-9a-f]{128}$/.test(frame.signature)) return false;
    const text = new TextEncoder().encode(receiptText(frame));
    return crypto.subtle.verify('Ed25519', await this.#key, Uint8Array.from(fromHex(frame.signature)), text);
  }
}

function isFrame(known: KnownFrame | undefined, { firstSeq, frameHash }: SignedFrame): boolean {
  return known?.firstSeq === firstSeq && known.frameHash === frameHash;
}

function placeOf({ firstSeq, lastSeq, frameHash }: SignedFrame): string {
  return `records ${firstSeq} to ${lastSeq} in frame ${frameHash}`;
}

function describe(known: KnownFrame | undefined): string {
  return known === undefined ? 'no frame that ends there' : `frame ${known.frameHash}`;
}
