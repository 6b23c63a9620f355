// Anchors: every so many minutes the heads of all partitions go on chain as one hash, so that nobody can rewrite history.
import { readFile } from 'node:fs/promises';
import type { SenderPort } from '@presage/chain';
import { journalAnchorsAbi } from '@presage/contracts';
import { type Hex, isMarketPartition, type JournalAnchored, type SignedFrame } from '@presage/protocol';
import { SerialQueue } from '@presage/runtime';
import { isErrorCode } from '@presage/runtime/node';
import { encodeFunctionData } from 'viem';
import type { Anchor, AnchorLedger } from './anchor-ledger.ts';

/** The chain's partition, as anchors use it. */
export interface AnchorJournal {
  readonly ledger: Pick<AnchorLedger, 'list' | 'count' | 'has'>;
  /** Resolves once the record is durable and in the ledger. */
  append(record: JournalAnchored): Promise<void>;
}

interface AnchorsOptions {
  /** The contract that emits the event. */
  readonly contract: Hex;
  readonly operator: Hex;
  readonly chainId: number;
  /** 0 disables anchoring; existing anchors are still listed. */
  readonly everyMs: number;
  readonly journal: AnchorJournal;
  /** Files of earlier versions, one line of JSON for each anchor; anchors missing from the journal are written into it. */
  readonly earlierFiles: readonly string[];
  readonly heads: () => { readonly heads: readonly SignedFrame[]; readonly hash: Hex };
  readonly sender: SenderPort;
  /** Balance of the operator's account in wei. */
  readonly balance: () => Promise<bigint>;
  readonly nowMs: () => number;
  readonly onTrouble: (error: unknown) => void;
}

/** A tenth of a cent on a cheap chain, and less than any transaction that traders wait for. */
const LEAST_BALANCE_WEI = 1_000_000_000_000_000n;

export class Anchors {
  readonly #options: AnchorsOptions;
  readonly #queue = new SerialQueue();
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  private constructor(options: AnchorsOptions) {
    this.#options = options;
  }

  static async open(options: AnchorsOptions): Promise<Anchors> {
    const { journal, earlierFiles } = options;
    for (const file of earlierFiles) {
      for (const anchor of await readAnchors(file)) {
        if (!journal.ledger.has(anchor)) await journal.append({ type: 'journal-anchored', ...anchor });
      }
    }
    return new Anchors(options);
  }

  get contract(): Hex {
    return this.#options.contract;
  }

  get operator(): Hex {
    return this.#options.operator;
  }

  get chainId(): number {
    return this.#options.chainId;
  }

  /** The newest anchors, oldest first. */
  list(): readonly Anchor[] {
    return this.#options.journal.ledger.list();
  }

  /** Number of all anchors ever made. */
  get count(): number {
    return this.#options.journal.ledger.count;
  }

  /** Counts from the last anchor, not from the start: otherwise a service that restarts often would never anchor. */
  start(): void {
    const { everyMs, nowMs } = this.#options;
    if (everyMs === 0) return;
    const sinceLastMs = nowMs() - (this.list().at(-1)?.timeMs ?? 0);
    this.#anchorIn(Math.min(Math.max(everyMs - sinceLastMs, 0), everyMs));
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer);
    this.#isClosed = true;
    await this.#queue.idle();
  }

  /** Recorded before it is sent, so that every anchor on chain can be opened. */
  anchor(): Promise<Anchor | undefined> {
    return this.#queue.run(async () => {
      const { heads: readHeads, sender, contract, journal, nowMs, balance } = this.#options;
      const { heads, hash } = readHeads();
      if (!this.#isNew(heads) || (await balance()) < LEAST_BALANCE_WEI) return undefined;
      const anchor = { hash, timeMs: nowMs(), heads };
      await journal.append({ type: 'journal-anchored', ...anchor });
      const data = encodeFunctionData({ abi: journalAnchorsAbi, functionName: 'anchor', args: [hash] });
      await sender.enqueue({ operationId: `anchor-${hash}`, to: contract, data });
      return anchor;
    });
  }

  #anchorIn(delayMs: number): void {
    const { everyMs, onTrouble } = this.#options;
    const next = () => {
      if (!this.#isClosed) this.#anchorIn(everyMs);
    };
    this.#timer = setTimeout(() => void this.anchor().catch(onTrouble).finally(next), delayMs).unref();
  }

  /** An idle exchange anchors nothing; the anchor's own transaction is no news. */
  #isNew(heads: readonly SignedFrame[]): boolean {
    const previous = new Set(
      this.list()
        .at(-1)
        ?.heads.map(({ frameHash }) => frameHash),
    );
    return heads.some(({ partition, frameHash }) => isMarketPartition(partition) && !previous.has(frameHash));
  }
}

async function readAnchors(file: string): Promise<Anchor[]> {
  try {
    const lines = (await readFile(file, 'utf8')).split('\n').slice(0, -1);
    // Our own file, written by an older version in exactly this form.
    return lines.map((line) => JSON.parse(line) as Anchor);
  } catch (error) {
    if (isErrorCode(error, 'ENOENT')) return [];
    throw error;
  }
}
