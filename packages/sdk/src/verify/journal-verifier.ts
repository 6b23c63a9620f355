// Every check that needs only the journal: hash chain, signatures, replay, sums.

import { sha256 as nobleSha256 } from '@noble/hashes/sha2';
import { decodeRecord, type Hex, type JournalRecord } from '@presage/protocol';
import { keysOf } from '@presage/protocol/browser';
import { FrameCheck, type Sha256, startOf, type VerifiedPoint } from './checks/frame-check.ts';
import { HistoryCheck, type HistoryCounts } from './checks/history-check.ts';
import { Ledger } from './checks/ledger.ts';
import type { DomainName } from './checks/order-signatures.ts';
import { Replay } from './checks/replay.ts';
import { Violation } from './checks/violation.ts';
import { type RecoverSigners, SignerQueue } from './signer-queue.ts';
import { readState, type SavedHead, writeState } from './verifier-state.ts';

export interface JournalVerifierOptions {
  readonly partition: string;
  /** EIP-712 name and version of each chain's settlement contract; the markets name its address. */
  readonly domains: ReadonlyMap<number, DomainName>;
  /** If absent, order hashes are checked but signers are not. */
  readonly recover?: RecoverSigners | undefined;
  /** Faster than the portable implementation. */
  readonly sha256?: Sha256 | undefined;
  /** Sequences of records whose orders are remembered. */
  readonly watched?: ReadonlySet<number> | undefined;
  /** Hashes of orders whose acceptance is looked for. */
  readonly answered?: ReadonlySet<string> | undefined;
}

export interface VerifiedCounts extends HistoryCounts {
  frames: number;
  signatures: number;
}

/** A frame that receipts, heads and anchors can name. */
export interface KnownFrame {
  readonly firstSeq: number;
  readonly frameHash: Hex;
}

/** Checks the frames of a partition in order: the hash chain and their records. */
export class JournalVerifier {
  readonly history: HistoryCheck;
  /** Frames by the sequence of their last record. */
  readonly frames: Map<number, KnownFrame>;
  readonly sha256: Sha256;
  readonly #frameCheck: FrameCheck;
  readonly #signers: SignerQueue | undefined;

  private constructor(parts: Pick<JournalVerifier, 'history' | 'frames' | 'sha256'>, rest: VerifierRest) {
    this.history = parts.history;
    this.frames = parts.frames;
    this.sha256 = parts.sha256;
    this.#frameCheck = rest.frameCheck;
    this.#signers = rest.signers;
  }

  static open(options: JournalVerifierOptions): JournalVerifier {
    const { partition, domains, recover, sha256 = nobleSha256, watched, answered } = options;
    const signers = recover && new SignerQueue(recover);
    const history = new HistoryCheck({
      domains,
      watched,
      answered,
      onSigned: signers && ((order) => signers.add(order)),
    });
    const frameCheck = new FrameCheck(startOf(partition), sha256);
    return new JournalVerifier({ history, frames: new Map(), sha256 }, { frameCheck, signers });
  }

  /** Restores a verifier from the lines that an earlier one saved. Throws if they are damaged or of another version. */
  static async restore(lines: Iterable<string>, options: JournalVerifierOptions): Promise<JournalVerifier> {
    const { domains, recover, sha256 = nobleSha256, watched, answered } = options;
    const { head, parts } = readState(lines);
    const signers = recover && new SignerQueue(recover, head.signatures);
    const onSigned = signers && ((order: Parameters<SignerQueue['add']>[0]) => signers.add(order));
    const history = await HistoryCheck.restore(
      { domains, watched, answered, onSigned },
      {
        ledger: Ledger.restore(parts.ledger),
        replay: Replay.restore(parts.engine, parts.replay),
        counts: { ...head.counts },
        contractWallets: head.contractWallets,
      },
    );
    const frames = new Map(
      head.frames.map(([lastSeq, firstSeq, frameHash]) => [lastSeq, { firstSeq, frameHash }] as const),
    );
    return new JournalVerifier(
      { history, frames, sha256 },
      { frameCheck: new FrameCheck(head.point, sha256), signers },
    );
  }

  get point(): VerifiedPoint {
    return this.#frameCheck.point;
  }

  get counts(): VerifiedCounts {
    return { ...this.history.counts, frames: this.frames.size, signatures: this.#signers?.count ?? 0 };
  }

  /** Checks the next frame, given as stored. Throws the first violation; nothing after it can be judged. */
  async add(bytes: Uint8Array): Promise<void> {
    try {
      const { firstSeq, lastSeq, records, frameHash } = this.#frameCheck.check(bytes);
      this.frames.set(lastSeq, { firstSeq, frameHash });
      const { decoded, fault } = decode(records, firstSeq);
      await this.history.add(decoded, firstSeq);
      if (fault !== undefined) throw fault;
      await this.#signers?.pace();
    } catch (error) {
      // An order without a valid signer may come before the violation.
      if (error instanceof Violation) await this.#signers?.settle();
      throw error;
    }
  }

  /** Waits until the signers of all orders are known. */
  async settle(): Promise<void> {
    await this.#signers?.settle();
  }

  /** The state from which the next verification resumes; only valid once `settle` has found nothing. */
  stateLines(): Generator<string> {
    const { engine } = this.history.replay;
    return writeState(this.#savedHead(), {
      engine: engine.checkpointLines(),
      replay: this.history.replay.stateLines(),
      ledger: this.history.ledger.stateLines(),
    });
  }

  #savedHead(): SavedHead {
    const frames = [...this.frames].map(
      ([lastSeq, { firstSeq, frameHash }]) => [lastSeq, firstSeq, frameHash] as const,
    );
    return {
      point: this.point,
      hasSigners: this.#signers !== undefined,
      counts: this.history.counts,
      signatures: this.#signers?.count ?? 0,
      contractWallets: [...this.history.contractWallets],
      frames,
    };
  }
}

export function addCounts(all: readonly VerifiedCounts[]): VerifiedCounts {
  const total: VerifiedCounts = {
    records: 0,
    orders: 0,
    contractOrders: 0,
    trades: 0,
    cancellations: 0,
    frames: 0,
    signatures: 0,
  };
  for (const counts of all) for (const name of keysOf(total)) total[name] += counts[name];
  return total;
}

interface VerifierRest {
  readonly frameCheck: FrameCheck;
  readonly signers: SignerQueue | undefined;
}

/** Decodes up to the first unreadable record: the records before it are checked first. */
function decode(records: readonly Uint8Array[], firstSeq: number): { decoded: JournalRecord[]; fault?: Violation } {
  const decoded: JournalRecord[] = [];
  for (const bytes of records) {
    try {
      decoded.push(decodeRecord(bytes));
    } catch (error) {
      const detail = error instanceof Error ? error.message : String(error);
      return { decoded, fault: new Violation('record_unreadable', detail, firstSeq + decoded.length) };
    }
  }
  return { decoded };
}
