// Checks a whole exchange from outside: its journal, its signatures, its books, and the chains.
import { type Hex, isMarketPartition, type MarketId, marketPartitionName, type SignedFrame } from '@presage/protocol';
import { sleep } from '@presage/runtime';
import { PresageInputError } from '../errors.ts';
import { Http, type HttpOptions } from '../http.ts';
import type { OrderbookSnapshot, ServiceConfig } from '../types.ts';
import { type AnchorList, checkAnchors } from './anchor-check.ts';
import { type ChainFindings, checkChain } from './chain-check.ts';
import { ChainReads } from './chain-reads.ts';
import { checkEvents } from './checks/event-check.ts';
import type { Sha256, VerifiedPoint } from './checks/frame-check.ts';
import type { MarketSums } from './checks/ledger.ts';
import { checkSolvency, type SolvencyTotals } from './checks/solvency.ts';
import { VIOLATIONS, Violation, type ViolationKind } from './checks/violation.ts';
import { joinLedgers } from './joined-ledgers.ts';
import { addCounts, JournalVerifier, type VerifiedCounts } from './journal-verifier.ts';
import { type KeptReceipt, PartitionCheck } from './partition-check.ts';
import { type RecoverSigners, recoverByWasm } from './signer-queue.ts';
import { readHead, splitStates } from './verifier-state.ts';

export interface VerifyOptions extends HttpOptions {
  /** Nodes that you trust, one for each chain: with them settled trades and collateral are compared with the chain. */
  readonly rpcUrl?: string | readonly string[] | undefined;
  /** Receipts of your own orders. */
  readonly receipts?: readonly KeptReceipt[] | undefined;
  /** Hashes of your own orders that the service accepted, also those whose answer had no receipt. */
  readonly answered?: readonly string[] | undefined;
  /** Point where an earlier verification ended: the history up to it must be unchanged. */
  readonly previous?: VerifiedPoint | undefined;
  /** State saved by an earlier verification: resumes there; the history up to it must be unchanged. */
  readonly state?: readonly string[] | undefined;
  /** `false` skips the signers of orders, which is many times faster. */
  readonly signatures?: boolean | undefined;
  /** Faster than WebAssembly in this thread. */
  readonly recover?: RecoverSigners | undefined;
  readonly sha256?: Sha256 | undefined;
  /** Wait before the chain is asked again about differences that may be temporary; 2 s by default. */
  readonly chainWaitMs?: number | undefined;
  readonly onProgress?: ((progress: VerifyProgress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface VerifyProgress {
  readonly records: number;
  readonly total: number;
  /** Progress of the search for a chain's events. */
  readonly chain?: { readonly chainId: number; readonly blocks: number; readonly total: number };
}

export interface VerifyResult {
  readonly sound: boolean;
  /** The first violation; nothing after it can be judged. */
  readonly violation?: {
    readonly kind: ViolationKind;
    /** Meaning for a trader. */
    readonly meaning: string;
    readonly detail: string;
    /** Sequence of the record in the journal. */
    readonly seq?: number | undefined;
    /** Partition of the record, if there are several. */
    readonly partition?: string;
  };
  readonly counts: VerifiedCounts & OutsideCounts;
  /** Point of the first partition; `points` has all of them. */
  readonly point: VerifiedPoint;
  readonly points: readonly VerifiedPoint[];
  /** Number of records checked by an earlier verification, if this one resumed from it. */
  readonly resumedFrom?: number;
  /** Returns lines from which the next verification resumes. Present only if no violation was found. */
  readonly saveState?: () => Iterable<string>;
  /** Head of the first partition. */
  readonly head: SignedFrame | null;
  readonly solvency?: { readonly markets: readonly MarketSums[]; readonly totals: SolvencyTotals };
  /** Findings for each given node. */
  readonly chains: readonly ChainFindings[];
  readonly seconds: number;
}

interface OutsideCounts {
  readonly receipts: number;
  readonly books: number;
  readonly anchors: number;
  /** Orders of contract wallets whose contract exists at the given node. */
  readonly contractOrdersFound: number;
}

interface JournalHeads {
  readonly heads: readonly { readonly partition: string }[];
  readonly delaySeconds: number;
}

const BOOKS_AT_ONCE = 8;
/** Attempts to compare a busy book, which may change while it is read. */
const BOOK_ROUNDS = 5;
/** Violations that may be temporary: a reorganization, or a resolution that the journal does not have yet. */
const PASSING: ReadonlySet<ViolationKind> = new Set([
  'settled_not_on_chain',
  'settled_not_in_journal',
  'rates_differ',
  'bond_missing',
]);
const CHAIN_ROUNDS = 3;
const CHAIN_WAIT_MS = 2_000;

/** Checks everything that an operator publishes; stops at the first violation. */
export async function verifyExchange(options: VerifyOptions): Promise<VerifyResult> {
  const http = new Http(options);
  const config = await http.get<ServiceConfig>('/api/v1/config', {}, options);
  const { heads } = await http.get<JournalHeads>('/api/v1/journal/head', {}, options);
  const check = new ExchangeCheck(http, config, options);
  await check.open(heads.map(({ partition }) => partition));
  return check.run();
}

class ExchangeCheck {
  readonly #http: Http;
  readonly #config: ServiceConfig;
  readonly #options: VerifyOptions;
  readonly #startMs = performance.now();
  /** In the order of their names. */
  #partitions: readonly PartitionCheck[] = [];
  /** Partition of a violation thrown now. */
  #place: string | undefined;
  #books = 0;
  #anchors = 0;
  #contractOrdersFound = 0;
  #solvency: VerifyResult['solvency'];
  readonly #chains: ChainFindings[] = [];

  constructor(http: Http, config: ServiceConfig, options: VerifyOptions) {
    this.#http = http;
    this.#config = config;
    this.#options = options;
  }

  /**
   * Opens every partition that the operator names, that was verified earlier, or that a receipt is of, so that a hidden
   * one is not overlooked.
   */
  async open(published: readonly string[]): Promise<void> {
    const { receipts = [], state = [], previous, signatures = true } = this.#options;
    const states = splitStates(state);
    const ofReceipts = receipts.map(({ receipt }) => receipt.partition);
    const named = [marketPartitionName(0), ...published, ...states.keys(), previous?.partition ?? '', ...ofReceipts];
    const names = [...new Set(named.filter(isMarketPartition))].sort(byNumber);
    const recover = signatures ? (this.#options.recover ?? (await recoverByWasm())) : undefined;
    this.#partitions = await Promise.all(names.map((name) => this.#openPartition(name, states.get(name), recover)));
  }

  async run(): Promise<VerifyResult> {
    try {
      await this.#inEach((partition) => partition.checkPrevious());
      await this.#readJournal();
      const delayMs = await this.#readDelayMs();
      await this.#inEach((partition) => partition.checkPublished(delayMs));
      await this.#settle();
      await this.#inEach((partition) => partition.checkReceipts(delayMs));
      await this.#checkAnswered();
      this.#checkListings();
      await this.#compareBooks();
      checkEvents(this.#ledger);
      this.#solvency = checkSolvency(this.#ledger);
      for (const url of [this.#options.rpcUrl ?? []].flat()) await this.#compareChain(url);
      await this.#settle();
      return this.#result();
    } catch (error) {
      if (error instanceof Violation) return this.#result(error);
      throw error;
    }
  }

  async #openPartition(partition: string, saved: readonly string[] | undefined, recover: RecoverSigners | undefined) {
    const { sha256, receipts = [], previous, signal } = this.#options;
    const answered = new Set(this.#options.answered?.map((orderHash) => orderHash.toLowerCase()));
    const own = receipts.filter(({ receipt }) => receipt.partition === partition);
    const domains = new Map(this.#config.chains.map(({ chainId, settlement }) => [chainId, toDomain(settlement)]));
    const watched = new Set(own.map(({ receipt }) => receipt.seq));
    const opening = { partition, domains, recover, sha256, watched, answered };
    // A state without checked signers cannot be used if signers are to be checked.
    const isUsable = saved !== undefined && (recover === undefined || readHead(saved).hasSigners);
    const verifier = isUsable ? await JournalVerifier.restore(saved, opening) : JournalVerifier.open(opening);
    const known = saved && readHead(saved).point;
    return new PartitionCheck({
      http: this.#http,
      signal,
      // The service's schema guarantees hex.
      receiptKey: this.#config.receiptKey as Hex,
      verifier,
      previous: previous?.partition === partition ? previous : known,
      receipts: own,
      onProgress: () => this.#tellProgress(),
    });
  }

  /** One after the other, so that a violation is reported with its partition. */
  async #inEach(check: (partition: PartitionCheck) => Promise<void>): Promise<void> {
    for (const partition of this.#partitions) {
      this.#place = partition.partition;
      await check(partition);
    }
    this.#place = undefined;
  }

  #readJournal(): Promise<void> {
    return this.#inEach((partition) => partition.readJournal());
  }

  /** Waits until the signers of all orders are known. */
  #settle(): Promise<void> {
    return this.#inEach(({ verifier }) => verifier.settle());
  }

  #tellProgress(chain?: VerifyProgress['chain']): void {
    const checked = this.#partitions.map(({ verifier }) => verifier.point.lastSeq);
    const total = sum(
      this.#partitions.map(({ publishedSeq, verifier }) => Math.max(publishedSeq, verifier.point.lastSeq)),
    );
    this.#options.onProgress?.({ records: sum(checked), total, ...(chain && { chain }) });
  }

  async #readDelayMs(): Promise<number> {
    const { delaySeconds } = await this.#http.get<JournalHeads>('/api/v1/journal/head', {}, this.#options);
    return delaySeconds * 1_000;
  }

  get #ledger() {
    return joinLedgers(this.#partitions.map(({ verifier }) => verifier.history.ledger));
  }

  /**
   * An accepted order must be in the journal, with or without a receipt. While records are unpublished nobody can say
   * that it is missing.
   */
  async #checkAnswered(): Promise<void> {
    const missing = new Set(this.#options.answered?.map((orderHash) => orderHash.toLowerCase()));
    for (const { verifier } of this.#partitions) for (const each of verifier.history.found) missing.delete(each);
    for (const partition of this.#partitions) {
      if (missing.size === 0) return;
      for (const each of await partition.findEarlier(missing)) missing.delete(each);
    }
    const [orderHash] = missing;
    if (orderHash === undefined || this.#partitions.some(({ isPartial }) => isPartial)) return;
    throw new Violation('answer_unkept', `there is no order ${orderHash} in any partition`);
  }

  /** Two books of one market would let the operator choose which one an order meets. */
  #checkListings(): void {
    const placeOf = new Map<MarketId, string>();
    for (const { partition, verifier } of this.#partitions) {
      for (const { marketId } of verifier.history.ledger.markets) {
        const other = placeOf.get(marketId);
        if (other !== undefined) throw new Violation('market_wrong', `${marketId} is in ${other} and in ${partition}`);
        placeOf.set(marketId, partition);
      }
    }
  }

  /** Only a book of exactly the replayed step can be compared; others are read again. */
  async #compareBooks(): Promise<void> {
    let left = this.#partitions.flatMap(({ verifier: { history } }) => {
      const open = history.replay.engine.markets().filter(({ status }) => status === 'open');
      return open.map(({ facts }) => ({ marketId: facts.marketId, engine: history.replay.engine }));
    });
    for (let round = 0; round < BOOK_ROUNDS && left.length > 0; round++) {
      if (round > 0) await this.#readJournal();
      const moving: typeof left = [];
      for (let at = 0; at < left.length; at += BOOKS_AT_ONCE) {
        const books = left.slice(at, at + BOOKS_AT_ONCE).map(async (listed) => {
          const { marketId, engine } = listed;
          const book = await this.#http.get<OrderbookSnapshot>(`/api/v1/orderbook/${marketId}`, {}, this.#options);
          const step = engine.market(marketId)?.step;
          if (book.seq !== step) return moving.push(listed);
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
    const { fetch, signal } = this.#options;
    const onBlocks = (blocks: number, total: number) => this.#tellProgress({ chainId, blocks, total });
    const chain = new ChainReads(url, { fetch, signal, onBlocks });
    const chainId: number = await chain.chainId();
    const { chains } = this.#config;
    if (![...chains, ...this.#ledger.markets].some((each) => each.chainId === chainId))
      throw new PresageInputError('rpcUrl', 'a node of a chain of this exchange', `chain ${chainId}`);
    const toBlock = await chain.blockNumber();
    const list = await this.#http.get<AnchorList>('/api/v1/journal/anchors', { chain_id: chainId }, this.#options);
    const journals = this.#partitions.map(({ verifier: { frames, point } }) => ({ frames, ...point }));
    this.#anchors += await checkAnchors({ chain, toBlock, list, journals });
    await this.#inEach((partition) => this.#checkContracts(partition, chain, chainId));
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

  /** An unsigned order of a key must not pass because the journal treats its wallet as a contract. */
  async #checkContracts({ verifier }: PartitionCheck, chain: ChainReads, chainId: number): Promise<void> {
    for (const { wallet, seq, orders, chainId: itsChain } of verifier.history.contractWallets) {
      if (itsChain !== chainId) continue;
      if (!(await chain.isContract(wallet))) {
        throw new Violation('order_unsigned', `${wallet} is said to be a contract, and the chain has none there`, seq);
      }
      this.#contractOrdersFound += orders;
    }
  }

  /** Reads the block before the journal: whatever was settled until that block was matched, and so recorded, before. */
  async #lookAtChain(chain: ChainReads, chainId: number): Promise<ChainFindings> {
    const block = await chain.blockNumber();
    await this.#readJournal();
    const ledger = this.#ledger;
    return checkChain({
      chain,
      chainId,
      block,
      ledger,
      markets: ledger.markets.filter((facts) => facts.chainId === chainId),
      oracle: this.#config.chains.find((each) => each.chainId === chainId)?.oracle ?? null,
      isPartial: this.#partitions.some(({ isPartial }) => isPartial),
    });
  }

  *#stateLines(): Generator<string> {
    for (const { verifier } of this.#partitions) yield* verifier.stateLines();
  }

  #result(violation?: Violation): VerifyResult {
    const first = this.#partitions[0]!;
    const resumedFrom = sum(this.#partitions.map((partition) => partition.resumedFrom));
    return {
      sound: violation === undefined,
      ...(violation && {
        violation: {
          kind: violation.kind,
          meaning: VIOLATIONS[violation.kind],
          detail: violation.detail,
          seq: violation.seq,
          ...(this.#partitions.length > 1 && this.#place !== undefined && { partition: this.#place }),
        },
      }),
      counts: {
        ...addCounts(this.#partitions.map(({ verifier }) => verifier.counts)),
        receipts: sum(this.#partitions.map(({ receiptCount }) => receiptCount)),
        books: this.#books,
        anchors: this.#anchors,
        contractOrdersFound: this.#contractOrdersFound,
      },
      point: first.verifier.point,
      points: this.#partitions.map(({ verifier }) => verifier.point),
      ...(resumedFrom > 0 && { resumedFrom }),
      ...(violation === undefined && { saveState: () => this.#stateLines() }),
      head: first.head,
      ...(this.#solvency && { solvency: this.#solvency }),
      chains: this.#chains,
      seconds: Math.round(performance.now() - this.#startMs) / 1_000,
    };
  }
}

function toDomain({ name, version }: { readonly name: string; readonly version: string }) {
  return { name, version };
}

function byNumber(a: string, b: string): number {
  return Number(a.slice(1)) - Number(b.slice(1));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
