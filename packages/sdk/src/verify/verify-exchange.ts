// Checks a whole exchange from outside: its journal, its signatures, its books, and the chain.
import type { Hex, MarketFacts, Receipt, SignedFrame } from '@presage/protocol';
import { openWasmRecovery, type SignerRecovery } from '@presage/protocol/signer-wasm';
import { sleep } from '@presage/runtime';
import { Http, type HttpOptions } from '../http.ts';
import type { OrderbookSnapshot, ServiceConfig, SubmitOrderResponse } from '../types.ts';
import { type AnchorList, checkAnchors } from './anchor-check.ts';
import { bytesOfBase64 } from './base64.ts';
import { type ChainFindings, checkChain } from './chain-check.ts';
import { ChainReads } from './chain-reads.ts';
import type { Sha256, VerifiedPoint } from './frame-check.ts';
import { JournalVerifier, type VerifiedCounts } from './journal-verifier.ts';
import type { MarketSums } from './ledger.ts';
import { ReceiptCheck } from './receipt-check.ts';
import { checkSolvency, type SolvencyTotals } from './solvency.ts';
import { VIOLATIONS, Violation, type ViolationKind } from './violation.ts';

/** As the answer to an order gave it, with the order it is for. */
export interface KeptReceipt {
  readonly orderHash: string;
  readonly receipt: NonNullable<SubmitOrderResponse['receipt']>;
}

export interface VerifyOptions extends HttpOptions {
  /** A node of your own choice: then settled trades and collateral are compared with the chain. */
  readonly rpcUrl?: string | undefined;
  /** Receipts of your own orders. */
  readonly receipts?: readonly KeptReceipt[] | undefined;
  /** Where an earlier verification ended: what was history then must still be. */
  readonly former?: VerifiedPoint | undefined;
  /** `false` leaves the signers of orders unchecked, which is many times quicker. */
  readonly signatures?: boolean | undefined;
  readonly recovery?: SignerRecovery | undefined;
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
  readonly counts: VerifiedCounts & { readonly receipts: number; readonly books: number; readonly anchors: number };
  /** Give it to the next verification. */
  readonly point: VerifiedPoint;
  readonly head: SignedFrame | null;
  readonly solvency?: { readonly markets: readonly MarketSums[]; readonly totals: SolvencyTotals };
  readonly chain?: ChainFindings;
  readonly seconds: number;
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
  const { sha256, receipts = [] } = options;
  const recovery = options.signatures === false ? undefined : (options.recovery ?? (await openWasmRecovery()));
  const domains = new Map(config.chains.map(({ chainId, settlement }) => [chainId, toDomain(settlement)]));
  const watched = new Set(receipts.map(({ receipt }) => receipt.seq));
  return new JournalVerifier({ partition: PARTITION, domains, recovery, sha256, watched });
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
  #solvency: VerifyResult['solvency'];
  #chain: ChainFindings | undefined;

  constructor(http: Http, config: ServiceConfig, verifier: JournalVerifier, options: VerifyOptions) {
    this.#http = http;
    this.#config = config;
    this.#options = options;
    this.#verifier = verifier;
    this.#receipts = new ReceiptCheck(config.receiptKey as Hex, verifier.frames);
  }

  async run(): Promise<VerifyResult> {
    try {
      await this.#readJournal();
      await this.#checkPublished();
      this.#checkFormer();
      await this.#checkReceipts();
      await this.#compareBooks();
      this.#solvency = checkSolvency(this.#verifier.ledger);
      await this.#compareChain();
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
      onProgress?.({ records: this.#verifier.counts.records, total: page.publishedSeq });
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

  #checkFormer(): void {
    const { former } = this.#options;
    if (former === undefined) return;
    const known = this.#verifier.frames.get(former.lastSeq)?.frameHash;
    if (former.lastSeq === 0 || known === former.frameHash) return;
    const detail = `the frame that ends at ${former.lastSeq} was ${former.frameHash}, now it is ${known ?? 'gone'}`;
    throw new Violation('history_rewritten', detail, former.lastSeq);
  }

  async #checkReceipts(): Promise<void> {
    const { lastSeq, timeMs } = this.#verifier.point;
    for (const { orderHash, receipt } of this.#options.receipts ?? []) {
      const isLate = receipt.timeMs + this.#delayMs + LATE_MS < Math.max(timeMs, this.#head?.timeMs ?? 0);
      await this.#receipts.check(receipt as Receipt, lastSeq, isLate || this.#head?.lastSeq === lastSeq);
      const written = this.#verifier.watched.get(receipt.seq);
      if (receipt.seq <= lastSeq && written !== orderHash) {
        throw new Violation('receipt_unkept', `there is no order ${orderHash} at its place`, receipt.seq);
      }
    }
  }

  /** Only a book of the very step that was replayed can be compared; others are read again. */
  async #compareBooks(): Promise<void> {
    const { engine } = this.#verifier.replay;
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

  async #compareChain(): Promise<void> {
    const { rpcUrl } = this.#options;
    if (rpcUrl === undefined) return;
    const chain = new ChainReads(rpcUrl, this.#options.fetch);
    const list = await this.#http.get<AnchorList>('/api/v1/journal/anchors', {}, this.#options);
    const { frames, point } = this.#verifier;
    const { lastSeq, partition } = point;
    this.#anchors = await checkAnchors({ chain, list, frames, partition, lastSeq });
    await this.#checkContracts(chain);
    for (let left = CHAIN_ROUNDS; ; left--) {
      try {
        this.#chain = await this.#lookAtChain(chain);
        return;
      } catch (error) {
        if (left <= 1 || !(error instanceof Violation) || !PASSING.has(error.kind)) throw error;
        await sleep(this.#options.chainWaitMs ?? CHAIN_WAIT_MS, this.#options.signal);
      }
    }
  }

  /** A key's order may not pass unsigned by calling its wallet a contract. */
  async #checkContracts(chain: ChainReads): Promise<void> {
    const chainId = await chain.chainId();
    const { contractWallets, replay } = this.#verifier;
    for (const [wallet, { seq, marketId }] of contractWallets) {
      if (replay.engine.market(marketId)?.facts.chainId !== chainId || (await chain.isContract(wallet))) continue;
      throw new Violation('order_unsigned', `${wallet} is said to be a contract, and the chain has none there`, seq);
    }
  }

  /** The block first, then the journal: whatever was settled until that block was matched, and so written, before. */
  async #lookAtChain(chain: ChainReads): Promise<ChainFindings> {
    const [block, chainId] = [await chain.blockNumber(), await chain.chainId()];
    await this.#readJournal();
    const { ledger, replay, point } = this.#verifier;
    const markets: MarketFacts[] = replay.engine.markets().map(({ facts }) => facts);
    return checkChain({
      chain,
      block,
      ledger,
      markets: markets.filter((facts) => facts.chainId === chainId),
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
      counts: { ...counts, receipts: this.#receipts.count, books: this.#books, anchors: this.#anchors },
      point,
      head: this.#head,
      ...(this.#solvency && { solvency: this.#solvency }),
      ...(this.#chain && { chain: this.#chain }),
      seconds: Math.round(performance.now() - this.#startMs) / 1_000,
    };
  }
}
