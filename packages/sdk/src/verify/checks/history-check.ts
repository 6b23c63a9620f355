// Every check of a history that needs only its records: no bytes, network or clock, so that the simulator can run it too.
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
  /** Orders of contract wallets, whose signatures only the chain can check. */
  contractOrders: number;
  trades: number;
  cancellations: number;
}

/** A wallet that the journal treats as a contract, with its first such order. */
export interface ContractWallet {
  readonly wallet: Address;
  readonly chainId: number;
  readonly seq: number;
  orders: number;
}

export interface HistoryCheckOptions {
  /** EIP-712 name and version of each chain's settlement contract; the markets name its address. */
  readonly domains: ReadonlyMap<number, DomainName>;
  /** Called for each order with a correct hash; the caller checks who signed it. */
  readonly onSigned?: ((order: SignedDigest) => void) | undefined;
  /** Sequences of records whose orders are remembered. */
  readonly watched?: ReadonlySet<number> | undefined;
  /** Hashes of orders whose acceptance is looked for. */
  readonly answered?: ReadonlySet<string> | undefined;
}

interface HistoryParts {
  readonly ledger: Ledger;
  readonly replay: Replay;
  readonly counts: HistoryCounts;
  readonly contractWallets: readonly ContractWallet[];
}

/** Checks the records of a partition in order: signatures, a replay of matching, sums. */
export class HistoryCheck {
  readonly ledger: Ledger;
  readonly replay: Replay;
  readonly counts: HistoryCounts;
  /** Order hash of the record at each watched sequence. */
  readonly watched = new Map<number, string>();
  /** Orders of `answered` that were accepted. */
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

  /** Resumes where an earlier check ended. */
  static async restore(options: HistoryCheckOptions, previous: HistoryParts): Promise<HistoryCheck> {
    const check = new HistoryCheck(options, previous);
    for (const facts of previous.ledger.markets) await check.#signatures.list(facts);
    return check;
  }

  get contractWallets(): Iterable<ContractWallet> {
    return this.#contractWallets.values();
  }

  /** Checks the next records, in whole steps. Throws the first violation; nothing after it can be judged. */
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

  /** Checks a record about an event. */
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

/** ERC-6492 suffix: the wallet is deployed with its first settlement, and until then there is no contract to ask. */
const NOT_DEPLOYED_YET = '6492'.repeat(16);

function isOneStep(a: EngineEvent, b: EngineEvent): boolean {
  return a.marketId === b.marketId && a.step === b.step;
}

function keyOf({ chainId, wallet }: Pick<ContractWallet, 'chainId' | 'wallet'>): string {
  return `${chainId} ${wallet}`;
}
