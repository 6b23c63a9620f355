// Everything that a history of records can be held against by itself: no bytes, no network, no clock, so that a simulator can use it too.
import {
  type Address,
  type EngineEvent,
  isEngineEvent,
  type JournalRecord,
  type OrderAccepted,
  unmarkWalletSignature,
} from '@presage/protocol';
import { checkConversion, checkListing, checkPayouts } from './event-check.ts';
import { Ledger } from './ledger.ts';
import { type DomainName, OrderSignatures, type SignedDigest } from './order-signatures.ts';
import { Replay, type Step } from './replay.ts';

export interface HistoryCounts {
  records: number;
  orders: number;
  /** Orders of wallets that are contracts: only the chain can judge their signatures. */
  contractOrders: number;
  trades: number;
  cancellations: number;
}

/** A wallet that is said to be a contract, with the first order of it that says so. */
export interface ContractWallet {
  readonly wallet: Address;
  readonly chainId: number;
  readonly seq: number;
  orders: number;
}

export interface HistoryCheckOptions {
  /** EIP-712 name and version of each chain's settlement contract; the markets name its address. */
  readonly domains: ReadonlyMap<number, DomainName>;
  /** Each order whose hash is right; whether its owner signed it is for the caller to find out. */
  readonly onSigned?: ((order: SignedDigest) => void) | undefined;
  /** Places whose orders are to be remembered. */
  readonly watched?: ReadonlySet<number> | undefined;
  /** Orders whose acceptance is looked for. */
  readonly answered?: ReadonlySet<string> | undefined;
}

interface HistoryParts {
  readonly ledger: Ledger;
  readonly replay: Replay;
  readonly counts: HistoryCounts;
  readonly contractWallets: readonly ContractWallet[];
}

/** Checks the records of a partition in order: signatures, matching decided again, sums. */
export class HistoryCheck {
  readonly ledger: Ledger;
  readonly replay: Replay;
  readonly counts: HistoryCounts;
  /** The order that a watched place is about. */
  readonly watched = new Map<number, string>();
  /** Orders that were looked for and accepted. */
  readonly found = new Set<string>();
  readonly #contractWallets = new Map<string, ContractWallet>();
  readonly #signatures: OrderSignatures;
  readonly #options: HistoryCheckOptions;

  constructor(options: HistoryCheckOptions, previous: Partial<HistoryParts> = {}) {
    this.#options = options;
    this.#signatures = new OrderSignatures(options.domains);
    this.ledger = previous.ledger ?? new Ledger();
    this.replay = previous.replay ?? new Replay();
    this.counts = previous.counts ?? { records: 0, orders: 0, contractOrders: 0, trades: 0, cancellations: 0 };
    for (const each of previous.contractWallets ?? []) this.#contractWallets.set(keyOf(each), { ...each });
  }

  /** Goes on where another one ended. */
  static async restore(options: HistoryCheckOptions, previous: HistoryParts): Promise<HistoryCheck> {
    const check = new HistoryCheck(options, previous);
    for (const facts of previous.ledger.markets) await check.#signatures.list(facts);
    return check;
  }

  get contractWallets(): Iterable<ContractWallet> {
    return this.#contractWallets.values();
  }

  /** The next records, whole steps. Throws the first violation; nothing after it can be judged. */
  async add(records: readonly JournalRecord[], firstSeq: number): Promise<void> {
    let step: [EngineEvent, ...EngineEvent[]] | undefined;
    let [seq, stepSeq] = [firstSeq - 1, 0];
    for (const record of records) {
      seq++;
      this.counts.records++;
      const event = isEngineEvent(record) ? record : undefined;
      if (step !== undefined && !(event !== undefined && isOneStep(step[0], event))) {
        this.#applyStep(step, stepSeq);
        step = undefined;
      }
      if (record.type === 'market-listed') await this.#signatures.list(record.market);
      this.#checkEvent(record, seq);
      if (event === undefined) this.ledger.apply(record, seq);
      else if (step !== undefined) step.push(event);
      else [step, stepSeq] = [[event], seq];
    }
    if (step !== undefined) this.#applyStep(step, stepSeq);
  }

  /** What a record says of an event. */
  #checkEvent(record: JournalRecord, seq: number): void {
    if (record.type === 'market-listed') checkListing(record.market, seq);
    if (record.type !== 'resolution-changed' && record.type !== 'shares-moved') return;
    const facts = this.replay.engine.facts(record.marketId);
    if (record.type === 'shares-moved') checkConversion(facts?.event, record, seq);
    else if (facts !== undefined) checkPayouts(facts, record.resolution, seq);
  }

  #applyStep(step: Step, firstSeq: number): void {
    let seq = firstSeq;
    for (const event of step) {
      if (event.type === 'order-accepted') this.#checkOrder(event, seq);
      seq++;
    }
    this.replay.apply(step, firstSeq);
    const { watched, answered } = this.#options;
    seq = firstSeq;
    for (const event of step) {
      this.ledger.apply(event, seq);
      if (watched?.has(seq) && 'orderHash' in event) this.watched.set(seq, event.orderHash);
      if (event.type === 'order-accepted' && answered?.has(event.orderHash)) this.found.add(event.orderHash);
      if (event.type === 'trade-matched') this.counts.trades++;
      else if (event.type === 'order-cancelled') this.counts.cancellations++;
      seq++;
    }
  }

  #checkOrder(event: OrderAccepted, seq: number): void {
    const signed = this.#signatures.digestOf(event, seq);
    this.counts.orders++;
    const ofContract = unmarkWalletSignature(event.signature);
    if (ofContract === undefined) this.#options.onSigned?.(signed);
    else this.#noteContract(event, ofContract, seq);
  }

  #noteContract({ order, marketId }: OrderAccepted, signature: string, seq: number): void {
    this.counts.contractOrders++;
    if (signature.endsWith(NOT_DEPLOYED_YET)) return;
    const chainId = this.#signatures.chainOf(marketId) ?? 0;
    const noted = { wallet: order.trader, chainId, seq, orders: 1 };
    const known = this.#contractWallets.get(keyOf(noted));
    if (known !== undefined) known.orders++;
    else this.#contractWallets.set(keyOf(noted), noted);
  }
}

/** ERC-6492: the wallet is made with its first settlement, and until then there is no contract to ask. */
const NOT_DEPLOYED_YET = '6492'.repeat(16);

function isOneStep(a: EngineEvent, b: EngineEvent): boolean {
  return a.marketId === b.marketId && a.step === b.step;
}

function keyOf({ chainId, wallet }: Pick<ContractWallet, 'chainId' | 'wallet'>): string {
  return `${chainId} ${wallet}`;
}
