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

/** Where anchors are. */
interface AnchorPlace {
  /** The contract that emits the event. */
  readonly contract: Hex;
  readonly operator: Hex;
  readonly chainId: number;
}

interface AnchorsOptions extends AnchorPlace {
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

  /** Counts from the last anchor, not from the start: otherwise a service that restarts often would never anchor. */
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
      this.ledger
        .list()
        .at(-1)
        ?.heads.map((head) => head.frameHash),
    );
    return heads.some(({ partition, frameHash }) => isMarketPartition(partition) && !previous.has(frameHash));
  }
}

/** The anchors of all chains, including chains that join later. */
export class ChainAnchors<Chain> {
  readonly #opened: Anchors[] = [];
  /** Chain ids in the order of the configuration. */
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
    // Our own file, written by an older version in exactly this form.
    return lines.map((line) => JSON.parse(line) as Anchor);
  } catch (error) {
    if (isErrorCode(error, 'ENOENT')) return [];
    throw error;
  }
}
