// Anchors: periodically writes the heads of all partitions on chain as one hash, so that nobody can rewrite history.
import { readFile } from 'node:fs/promises';
import type { SenderPort } from '@presage/chain';
import { journalAnchorsAbi } from '@presage/contracts';
import { type Hex, isMarketPartition, type JournalAnchored, type SignedFrame } from '@presage/protocol';
import { SerialQueue } from '@presage/runtime';
import { isErrorCode } from '@presage/runtime/node';
import { encodeFunctionData } from 'viem';
import type { Anchor, AnchorLedger } from './anchor-ledger.ts';

/** The part of a chain's partition that anchors use. */
export interface AnchorJournal {
  readonly ledger: Pick<AnchorLedger, 'list' | 'count' | 'has'>;
  /** Appends a record; resolves once it is durable and in the ledger. */
  append(record: JournalAnchored): Promise<void>;
}

/** Place of anchors on chain. */
interface AnchorPlace {
  /** Contract that emits the events of anchors. */
  readonly contract: Hex;
  readonly operator: Hex;
  readonly chainId: number;
}

interface AnchorsOptions extends AnchorPlace {
  /** 0 disables anchoring; existing anchors are still listed. */
  readonly everyMs: number;
  readonly journal: AnchorJournal;
  /** Files of earlier versions, one line of JSON per anchor; anchors missing from the journal are copied into it. */
  readonly earlierFiles: readonly string[];
  readonly heads: () => { readonly heads: readonly SignedFrame[]; readonly hash: Hex };
  readonly sender: SenderPort;
  /** Balance of the operator's account in wei. */
  readonly balance: () => Promise<bigint>;
  readonly nowMs: () => number;
  readonly onTrouble: (error: unknown) => void;
}

/** Minimum balance for anchoring; a tenth of a cent on a cheap chain, and less than any transaction that traders wait for. */
const LEAST_BALANCE_WEI = 1_000_000_000_000_000n;

export class Anchors {
  readonly ledger: AnchorJournal['ledger'];
  readonly #options: AnchorsOptions;
  readonly #queue = new SerialQueue();
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  private constructor(options: AnchorsOptions) {
    this.#options = options;
    this.ledger = options.journal.ledger;
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

  get place(): AnchorPlace {
    return this.#options;
  }

  /** Starts the timer. Counts from the last anchor, since a service that restarts often would otherwise never anchor. */
  start(): void {
    const { everyMs, nowMs } = this.#options;
    if (everyMs === 0) return;
    const sinceLastMs = nowMs() - (this.ledger.list().at(-1)?.timeMs ?? 0);
    this.#anchorIn(Math.min(Math.max(everyMs - sinceLastMs, 0), everyMs));
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer);
    this.#isClosed = true;
    await this.#queue.idle();
  }

  /** Anchors the heads. Records the anchor before sending it, so that the heads of every anchor on chain are known. */
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

  /** Whether there is anything new to anchor: an idle exchange has nothing, and an anchor's own transaction does not count. */
  #isNew(heads: readonly SignedFrame[]): boolean {
    const previous = new Set(
      this.ledger
        .list()
        .at(-1)
        ?.heads.map((head) => head.frameHash),
    );
    return heads.some(({ partition, frameHash }) => isMarketPartition(partition) && !previous.has(frameHash));
  }
}

/** Anchors of all chains, including chains that join later. */
export class ChainAnchors<Chain> {
  readonly #opened: Anchors[] = [];
  /** Chain ids in configuration order. */
  readonly #order: readonly number[];
  readonly #open: (chain: Chain) => Promise<Anchors | undefined>;

  constructor(order: readonly number[], open: (chain: Chain) => Promise<Anchors | undefined>) {
    this.#order = order;
    this.#open = open;
  }

  readonly add = async (chain: Chain): Promise<void> => {
    const anchors = await this.#open(chain);
    if (anchors === undefined) return;
    this.#opened.push(anchors);
    anchors.start();
  };

  /** Anchors of a chain, or of the first chain that has any. */
  find(chainId?: number): Anchors | undefined {
    if (chainId !== undefined) return this.#opened.find((each) => each.place.chainId === chainId);
    const place = (each: Anchors) => this.#order.indexOf(each.place.chainId);
    return [...this.#opened].sort((a, b) => place(a) - place(b))[0];
  }

  async close(): Promise<void> {
    await Promise.all(this.#opened.map((anchors) => anchors.close()));
  }
}

async function readAnchors(file: string): Promise<Anchor[]> {
  try {
    const lines = (await readFile(file, 'utf8')).split('\n').slice(0, -1);
    // Cast: an earlier version of the service wrote the file in exactly this form.
    return lines.map((line) => JSON.parse(line) as Anchor);
  } catch (error) {
    if (isErrorCode(error, 'ENOENT')) return [];
    throw error;
  }
}
