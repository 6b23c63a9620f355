// The whole of what can be checked from the journal alone: chain, signatures, replay, sums.
import { sha256 as nobleSha256 } from '@noble/hashes/sha2';
import {
  type Address,
  decodeRecord,
  type EngineEvent,
  isEngineEvent,
  type JournalRecord,
  type MarketId,
  type OrderAccepted,
  unmarkWalletSignature,
} from '@presage/protocol';
import type { SignerRecovery } from '@presage/protocol/signer-wasm';
import { FrameCheck, type Sha256, type VerifiedPoint } from './frame-check.ts';
import { Ledger } from './ledger.ts';
import { checkSigner, type DomainName, OrderSignatures } from './order-signatures.ts';
import { Replay, type Step } from './replay.ts';
import { Violation } from './violation.ts';

export interface JournalVerifierOptions {
  readonly partition: string;
  /** Of the settlement contract of each chain; the markets say its address. */
  readonly domains: ReadonlyMap<number, DomainName>;
  /** Absent: order hashes are checked, signers are not. */
  readonly recovery?: SignerRecovery | undefined;
  /** A quicker one than the portable. */
  readonly sha256?: Sha256 | undefined;
  /** Places whose orders are to be remembered. */
  readonly watched?: ReadonlySet<number>;
}

export interface VerifiedCounts {
  frames: number;
  records: number;
  orders: number;
  signatures: number;
  /** Orders of wallets that are contracts: only the chain can judge their signatures. */
  contractOrders: number;
  trades: number;
  cancellations: number;
}

/** A frame that receipts, heads and anchors can name. */
export interface KnownFrame {
  readonly firstSeq: number;
  readonly frameHash: string;
}

export class JournalVerifier {
  readonly ledger = new Ledger();
  readonly replay = new Replay();
  readonly counts: VerifiedCounts = {
    frames: 0,
    records: 0,
    orders: 0,
    signatures: 0,
    contractOrders: 0,
    trades: 0,
    cancellations: 0,
  };
  /** Hash of each frame, by its last record. */
  readonly frames = new Map<number, KnownFrame>();
  /** The order that a watched place is about. */
  readonly watched = new Map<number, string>();
  /** Wallets that are said to be contracts, with the first order of each that says so. */
  readonly contractWallets = new Map<Address, { readonly seq: number; readonly marketId: MarketId }>();
  readonly #watchedSeqs: ReadonlySet<number>;
  readonly #frameCheck: FrameCheck;
  readonly #signatures: OrderSignatures;
  readonly #recovery: SignerRecovery | undefined;

  constructor({ partition, domains, recovery, sha256 = nobleSha256, watched }: JournalVerifierOptions) {
    this.#watchedSeqs = watched ?? new Set();
    this.#frameCheck = new FrameCheck(partition, sha256);
    this.#signatures = new OrderSignatures(domains);
    this.#recovery = recovery;
  }

  get point(): VerifiedPoint {
    return this.#frameCheck.point;
  }

  /** The next frame as it is stored. Throws the first violation; nothing after it can be judged. */
  async add(bytes: Uint8Array): Promise<void> {
    const { firstSeq, lastSeq, records, frameHash } = this.#frameCheck.check(bytes);
    this.frames.set(lastSeq, { firstSeq, frameHash });
    this.counts.frames++;
    let step: [EngineEvent, ...EngineEvent[]] | undefined;
    let stepSeq = 0;
    for (const [index, bytesOfRecord] of records.entries()) {
      const seq = firstSeq + index;
      const record = decode(bytesOfRecord, seq);
      this.counts.records++;
      const isPartOfStep = step !== undefined && isEngineEvent(record) && isOneStep(step[0], record);
      if (step !== undefined && !isPartOfStep) {
        this.#applyStep(step, stepSeq);
        step = undefined;
      }
      if (record.type === 'market-listed') await this.#signatures.list(record.market);
      if (!isEngineEvent(record)) this.ledger.apply(record, seq);
      else if (step !== undefined) step.push(record);
      else [step, stepSeq] = [[record], seq];
    }
    if (step !== undefined) this.#applyStep(step, stepSeq);
  }

  #applyStep(step: Step, firstSeq: number): void {
    for (const [index, event] of step.entries()) {
      if (event.type === 'order-accepted') this.#checkOrder(event, firstSeq + index);
    }
    this.replay.apply(step, firstSeq);
    for (const [index, event] of step.entries()) {
      this.ledger.apply(event, firstSeq + index);
      if ('orderHash' in event && this.#watchedSeqs.has(firstSeq + index)) {
        this.watched.set(firstSeq + index, event.orderHash);
      }
      if (event.type === 'trade-matched') this.counts.trades++;
      else if (event.type === 'order-cancelled') this.counts.cancellations++;
    }
  }

  #checkOrder(event: Extract<EngineEvent, { type: 'order-accepted' }>, seq: number): void {
    const signed = this.#signatures.digestOf(event, seq);
    this.counts.orders++;
    const ofContract = unmarkWalletSignature(event.signature);
    if (ofContract !== undefined) {
      this.#noteContract(event, ofContract, seq);
      return;
    }
    if (this.#recovery === undefined) return;
    checkSigner(this.#recovery, signed);
    this.counts.signatures++;
  }

  #noteContract({ order, marketId }: OrderAccepted, signature: string, seq: number): void {
    this.counts.contractOrders++;
    if (signature.endsWith(NOT_DEPLOYED_YET) || this.contractWallets.has(order.trader)) return;
    this.contractWallets.set(order.trader, { seq, marketId });
  }
}

/** ERC-6492: the wallet is made with its first settlement, and until then there is no contract to ask. */
const NOT_DEPLOYED_YET = '6492'.repeat(16);

function isOneStep(a: EngineEvent, b: EngineEvent): boolean {
  return a.marketId === b.marketId && a.step === b.step;
}

function decode(bytes: Uint8Array, seq: number): JournalRecord {
  try {
    return decodeRecord(bytes);
  } catch (error) {
    throw new Violation('record_unreadable', error instanceof Error ? error.message : String(error), seq);
  }
}
