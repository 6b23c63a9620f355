// Checks a whole exchange from outside: its journal, its signatures, its books, and the chains.
import { parseFrame } from '@presage/journal/layout';
import { decodeRecord, type Hex, type Receipt, type SignedFrame, toHex } from '@presage/protocol';
import { sleep } from '@presage/runtime';
import { Http, type HttpOptions } from '../http.ts';
import type { OrderbookSnapshot, ServiceConfig, SubmitOrderResponse } from '../types.ts';
import { type AnchorList, checkAnchors } from './anchor-check.ts';
import { bytesOfBase64 } from './base64.ts';
import { type ChainFindings, checkChain } from './chain-check.ts';
import { ChainReads } from './chain-reads.ts';
import type { Sha256, VerifiedPoint } from './checks/frame-check.ts';
import type { MarketSums } from './checks/ledger.ts';
import { checkSolvency, type SolvencyTotals } from './checks/solvency.ts';
import { VIOLATIONS, Violation, type ViolationKind } from './checks/violation.ts';
import { JournalVerifier, type VerifiedCounts } from './journal-verifier.ts';
import { ReceiptCheck } from './receipt-check.ts';
import { type RecoverSigners, recoverByWasm } from './signer-queue.ts';
import { readHead } from './verifier-state.ts';

/** As the answer to an order gave it, with the order it is for. */
export interface KeptReceipt {
  readonly orderHash: string;
  readonly receipt: NonNullable<SubmitOrderResponse['receipt']>;
}

export interface VerifyOptions extends HttpOptions {
  /** Nodes of your own choice, one for each chain: then settled trades and collateral are compared with it. */
  readonly rpcUrl?: string | readonly string[] | undefined;
  /** Receipts of your own orders. */
  readonly receipts?: readonly KeptReceipt[] | undefined;
  /** Where an earlier verification ended: what was history then must still be. */
  readonly former?: VerifiedPoint | undefined;
  /** What an earlier verification saved: it is gone on from there, and what was history then must still be. */
  readonly state?: readonly string[] | undefined;
  /** `false` leaves the signers of orders unchecked, which is many times quicker. */
  readonly signatures?: boolean | undefined;
  /** Something quicker than WebAssembly in this thread. */
  readonly recover?: RecoverSigners | undefined;
  readonly sha256?: Sha256 | undefined;
  /** How long to wait until the chain is asked again about what may only be on its way; 2 s by default. */
  readonly chainWaitMs?: number | undefined;
  readonly onProgress?: ((progress: VerifyProgress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface VerifyProgress {
  readonly records: number;
  readonly total: number;
}

export interface VerifyResult {
  readonly sound: boolean;
  /** The first one; behind it nothing can be judged. */
  readonly violation?: {
    readonly kind: ViolationKind;
    /** In words that a trader understands. */
    readonly meaning: string;
    readonly detail: string;
    /** The record of the journal. */
    readonly seq?: number | undefined;
  };
  readonly counts: VerifiedCounts & OutsideCounts;
  readonly point: VerifiedPoint;
  /** The record until which an earlier verification had come, if it was gone on from there. */
  readonly resumedFrom?: number;
  /** Lines for the next verification: it goes on from here. Only of a sound exchange. */
  readonly saveState?: () => Iterable<string>;
  readonly head: SignedFrame | null;
  readonly solvency?: { readonly markets: readonly MarketSums[]; readonly totals: SolvencyTotals };
  /** One for each node that was given. */
  readonly chains: readonly ChainFindings[];
  readonly seconds: number;
}

interface OutsideCounts {
  readonly receipts: number;
  readonly books: number;
  readonly anchors: number;
  /** Of the orders of contracts: those whose contract a given node has. */
  readonly contractOrdersFound: number;
}

interface JournalPage {
  readonly frames: readonly { readonly bytes: string }[];
  readonly nextSeq: number;
  readonly publishedSeq: number;
  readonly head: SignedFrame | null;
}

const PARTITION = 'm0';
const PAGE_RECORDS = 10_000;
const BOOKS_AT_ONCE = 8;
/** A busy book moves on while it is read: it is read again this often. */
const BOOK_ROUNDS = 5;
/** A reorganization, or a resolution that the journal does not have yet, is over after a moment. */
const PASSING: ReadonlySet<ViolationKind> = new Set(['settled_not_on_chain', 'settled_not_in_journal', 'bond_missing']);
const CHAIN_ROUNDS = 3;
const CHAIN_WAIT_MS = 2_000;
/** An operator may be this late in publishing what it signed. */
const LATE_MS = 60_000;

export async function verifyExchange(options: VerifyOptions): Promise<VerifyResult> {
  const http = new Http(options);
  const config = await http.get<ServiceConfig>('/api/v1/config', {}, options);
  return new ExchangeCheck(http, config, await openVerifier(config, options), options).run();
}

async function openVerifier(config: ServiceConfig, options: VerifyOptions): Promise<JournalVerifier> {
  const { sha256, receipts = [], signatures = true, state } = options;
  const recover = signatures ? (options.recover ?? (await recoverByWasm())) : undefined;
  const domains = new Map(config.chains.map(({ chainId, settlement }) => [chainId, toDomain(settlement)]));
  const watched = new Set(receipts.map(({ receipt }) => receipt.seq));
  const opening = { partition: PARTITION, domains, recover, sha256, watched };
  // A state whose signers were left unchecked is no ground to stand on for one who wants them checked.
  if (state === undefined || (signatures && !readHead(state).hasSigners)) return JournalVerifier.open(opening);
  return JournalVerifier.restore(state, opening);
}

function toDomain({ name, version }: { readonly name: string; readonly version: string }) {
  return { name, version };
}

class ExchangeCheck {
  readonly #http: Http;
  readonly #config: ServiceConfig;
  readonly #options: VerifyOptions;
  readonly #verifier: JournalVerifier;
  readonly #receipts: ReceiptCheck;
  readonly #startMs = performance.now();
  #head: SignedFrame | null = null;
  #delayMs = 0;
  #books = 0;
  #anchors = 0;
  #contractOrdersFound = 0;
  #solvency: VerifyResult['solvency'];
  readonly #chains: ChainFindings[] = [];
  readonly #resumedFrom: number;

  constructor(http: Http, config: ServiceConfig, verifier: JournalVerifier, options: VerifyOptions) {
    this.#http = http;
    this.#config = config;
    this.#options = options;
    this.#verifier = verifier;
    this.#receipts = new ReceiptCheck(config.receiptKey as Hex, verifier.frames);
    this.#resumedFrom = verifier.point.lastSeq;
  }

  async run(): Promise<VerifyResult> {
    try {
      await this.#checkFormer();
      await this.#readJournal();
      await this.#checkPublished();
      await this.#verifier.settle();
      await this.#checkReceipts();
      await this.#compareBooks();
      this.#solvency = checkSolvency(this.#verifier.history.ledger);
      for (const url of [this.#options.rpcUrl ?? []].flat()) await this.#compareChain(url);
      await this.#verifier.settle();
      return this.#result();
    } catch (error) {
      if (error instanceof Violation) return this.#result(error);
      throw error;
    }
  }

  /** The next page is on its way while this one is checked. */
  async #readJournal(): Promise<void> {
    const { onProgress } = this.#options;
    let coming = this.#page(this.#verifier.point.lastSeq + 1);
    for (;;) {
      const page = await coming;
      if (page.frames.length > 0) {
        coming = this.#page(page.nextSeq);
        // It is awaited in the next round; until then its failure is not unhandled.
        coming.catch(() => undefined);
      }
      for (const { bytes } of page.frames) await this.#verifier.add(bytesOfBase64(bytes));
      if (page.head !== null) await this.#receipts.checkHead(page.head, this.#verifier.point.lastSeq);
      this.#head = page.head;
      onProgress?.({ records: this.#verifier.point.lastSeq, total: page.publishedSeq });
      if (page.frames.length === 0 || page.nextSeq > page.publishedSeq) return;
    }
  }

  #page(fromSeq: number): Promise<JournalPage> {
    const query = { fromSeq, limit: PAGE_RECORDS, records: 'none' };
    return this.#http.get<JournalPage>(`/api/v1/journal/${PARTITION}`, query, this.#options);
  }

  /** What was signed a moment ago must be published by now, unless the operator says that it publishes late. */
  async #checkPublished(): Promise<void> {
    const { delaySeconds } = await this.#http.get<{ delaySeconds: number }>('/api/v1/journal/head', {}, this.#options);
    this.#delayMs = delaySeconds * 1_000;
    const signed = this.#head;
    if (signed === null || signed.lastSeq <= this.#verifier.point.lastSeq || delaySeconds > 0) return;
    await this.#readJournal();
    const { lastSeq } = this.#verifier.point;
    if (signed.lastSeq <= lastSeq) return;
    throw new Violation('records_withheld', `${signed.lastSeq} are signed, ${lastSeq} are published`, lastSeq + 1);
  }

  /** The frame where an earlier verification ended names all that was before it: if it still stands, so does the rest. */
  async #checkFormer(): Promise<void> {
    const { state, former = state && readHead(state).point } = this.#options;
    if (former === undefined || former.lastSeq === 0) return;
    const { frames } = await this.#page(former.lastSeq);
    const bytes = frames[0] && bytesOfBase64(frames[0].bytes);
    const known = bytes && toHex(this.#verifier.sha256(bytes));
    if (known === former.frameHash) return;
    const detail = `the frame that ends at ${former.lastSeq} was ${former.frameHash}, now it is ${known ?? 'gone'}`;
    throw new Violation('history_rewritten', detail, former.lastSeq);
  }

  async #checkReceipts(): Promise<void> {
    const { lastSeq, timeMs } = this.#verifier.point;
    for (const { orderHash, receipt } of this.#options.receipts ?? []) {
      const isLate = receipt.timeMs + this.#delayMs + LATE_MS < Math.max(timeMs, this.#head?.timeMs ?? 0);
      await this.#receipts.check(receipt as Receipt, lastSeq, isLate || this.#head?.lastSeq === lastSeq);
      if (receipt.seq <= lastSeq && (await this.#orderAt(receipt)) !== orderHash) {
        throw new Violation('receipt_unkept', `there is no order ${orderHash} at its place`, receipt.seq);
      }
    }
  }

  /** What was read by an earlier verification is read again; that its frame is the same one was checked with the receipt. */
  async #orderAt({ seq, lastSeq, frameHash }: KeptReceipt['receipt']): Promise<string | undefined> {
    if (seq > this.#resumedFrom) return this.#verifier.history.watched.get(seq);
    const [frame] = (await this.#page(lastSeq)).frames;
    if (frame === undefined) return undefined;
    const bytes = bytesOfBase64(frame.bytes);
    const parsed = parseFrame(bytes);
    if ('fault' in parsed || toHex(this.#verifier.sha256(bytes)) !== frameHash) return undefined;
    const record = decodeRecord(parsed.records[seq - parsed.firstSeq]!);
    return 'orderHash' in record ? record.orderHash : undefined;
  }

  /** Only a book of the very step that was replayed can be compared; others are read again. */
  async #compareBooks(): Promise<void> {
    const { engine } = this.#verifier.history.replay;
    let left = engine
      .markets()
      .filter(({ status }) => status === 'open')
      .map(({ facts }) => facts.marketId);
    for (let round = 0; round < BOOK_ROUNDS && left.length > 0; round++) {
      if (round > 0) await this.#readJournal();
      const moving: typeof left = [];
      for (let at = 0; at < left.length; at += BOOKS_AT_ONCE) {
        const books = left.slice(at, at + BOOKS_AT_ONCE).map(async (marketId) => {
          const book = await this.#http.get<OrderbookSnapshot>(`/api/v1/orderbook/${marketId}`, {}, this.#options);
          const step = engine.market(marketId)?.step;
          if (book.seq !== step) return moving.push(marketId);
          const hash = engine.bookHash(marketId);
          if (hash === book.hash) return this.#books++;
          throw new Violation(
            'book_differs',
            `market ${marketId} at step ${step}: ${book.hash} shown, ${hash} computed`,
          );
        });
        await Promise.all(books);
      }
      left = moving;
    }
  }

  async #compareChain(url: string): Promise<void> {
    const chain = new ChainReads(url, this.#options.fetch);
    const chainId = await chain.chainId();
    const list = await this.#http.get<AnchorList>('/api/v1/journal/anchors', { chain_id: chainId }, this.#options);
    const { frames, point } = this.#verifier;
    const { lastSeq, partition } = point;
    this.#anchors += await checkAnchors({ chain, list, frames, partition, lastSeq });
    await this.#checkContracts(chain, chainId);
    for (let left = CHAIN_ROUNDS; ; left--) {
      try {
        this.#chains.push(await this.#lookAtChain(chain, chainId));
        return;
      } catch (error) {
        if (left <= 1 || !(error instanceof Violation) || !PASSING.has(error.kind)) throw error;
        await sleep(this.#options.chainWaitMs ?? CHAIN_WAIT_MS, this.#options.signal);
      }
    }
  }

  /** A key's order may not pass unsigned by calling its wallet a contract. */
  async #checkContracts(chain: ChainReads, chainId: number): Promise<void> {
    for (const { wallet, seq, orders, chainId: itsChain } of this.#verifier.history.contractWallets) {
      if (itsChain !== chainId) continue;
      if (!(await chain.isContract(wallet))) {
        throw new Violation('order_unsigned', `${wallet} is said to be a contract, and the chain has none there`, seq);
      }
      this.#contractOrdersFound += orders;
    }
  }

  /** The block first, then the journal: whatever was settled until that block was matched, and so written, before. */
  async #lookAtChain(chain: ChainReads, chainId: number): Promise<ChainFindings> {
    const block = await chain.blockNumber();
    await this.#readJournal();
    const { history, point } = this.#verifier;
    return checkChain({
      chain,
      chainId,
      block,
      ledger: history.ledger,
      markets: history.ledger.markets.filter((facts) => facts.chainId === chainId),
      oracle: this.#config.chains.find((each) => each.chainId === chainId)?.oracle ?? null,
      isPartial: this.#head !== null && this.#head.lastSeq > point.lastSeq,
    });
  }

  #result(violation?: Violation): VerifyResult {
    const { counts, point } = this.#verifier;
    return {
      sound: violation === undefined,
      ...(violation && {
        violation: {
          kind: violation.kind,
          meaning: VIOLATIONS[violation.kind],
          detail: violation.detail,
          seq: violation.seq,
        },
      }),
      counts: {
        ...counts,
        receipts: this.#receipts.count,
        books: this.#books,
        anchors: this.#anchors,
        contractOrdersFound: this.#contractOrdersFound,
      },
      point,
      ...(this.#resumedFrom > 0 && { resumedFrom: this.#resumedFrom }),
      ...(violation === undefined && { saveState: () => this.#verifier.stateLines() }),
      head: this.#head,
      ...(this.#solvency && { solvency: this.#solvency }),
      chains: this.#chains,
      seconds: Math.round(performance.now() - this.#startMs) / 1_000,
    };
  }
}
