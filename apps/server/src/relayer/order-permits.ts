// Permits that come with orders: judged before the order is accepted, relayed after, in nonce order, before its wallet's fills settle.
import { setTimeout as sleep } from 'node:timers/promises';
import type { OrderView, TradeView } from '@presage/engine';
import {
  type Address,
  type EngineCommand,
  type EngineOutput,
  type Fault,
  type OrderHash,
  type PermitChanged,
  PresageError,
  type SignedOrder,
} from '@presage/protocol';
import type { PermitJudge } from './permit-judge.ts';
import type { OrderWithPermit, RelayerJournal, RelayRecord } from './ports.ts';
import type { RelayedCalls } from './relayed-calls.ts';
import type { Relayer } from './relayer.ts';

export interface OrderPermitsOptions {
  readonly relayer: Relayer;
  readonly calls: RelayedCalls;
  readonly judge: PermitJudge;
  readonly journal: RelayerJournal;
  /** Orders whose permit was seen to its end by earlier runs. */
  readonly ended: ReadonlySet<OrderHash>;
  readonly reads: OrderPermitReads;
  readonly note: (record: PermitChanged) => Promise<void>;
  readonly nowMs: () => number;
  readonly onTrouble: (error: unknown) => void;
}

/** Durable state only. */
export interface OrderPermitReads {
  openOrders(): OrderView[];
  unsettledTrades(): TradeView[];
  order(hash: OrderHash): OrderView | undefined;
  preview(command: EngineCommand): EngineOutput[];
}

type PermitOutcome = Pick<PermitChanged, 'status' | 'txHash' | 'reason'>;

const RETRY_MS = 500;

export function hasPermit(signed: SignedOrder): signed is OrderWithPermit {
  return signed.permit !== undefined;
}

export class OrderPermits {
  readonly #options: OrderPermitsOptions;
  /** Not seen to their end, by wallet. */
  readonly #waiting = new Map<Address, OrderWithPermit[]>();
  /** Passed their check and are not placed yet: theirs are the nonces before those that come after them. */
  readonly #admitted = new Map<OrderHash, OrderWithPermit>();
  readonly #listeners: (() => void)[] = [];
  #isClosed = false;

  constructor(options: OrderPermitsOptions) {
    this.#options = options;
  }

  /** Begins with what earlier runs accepted and did not finish. */
  start(): void {
    const { reads, ended } = this.#options;
    const traded = reads.unsettledTrades().flatMap(({ makerHash, takerHash }) => [makerHash, takerHash]);
    const hashes = new Set([...reads.openOrders().map(({ signed }) => signed.orderHash), ...traded]);
    for (const hash of hashes) {
      const signed = reads.order(hash)?.signed;
      if (signed !== undefined && hasPermit(signed) && !ended.has(hash)) this.add(signed);
    }
  }

  /** Wallets whose fills must wait. */
  held(): Iterable<Address> {
    return this.#waiting.keys();
  }

  /** Called when a wallet waits for its permits no longer. */
  onReleased(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** What the settlement contract may take once the wallet's permits are mined; 0 when none is on its way. */
  pendingAllowance(wallet: Address): bigint {
    const values = (this.#waiting.get(wallet) ?? []).map(({ permit }) => permit.value);
    return values.reduce((most, value) => (value > most ? value : most), 0n);
  }

  /** The wallet's next nonce at the stablecoin once its accepted permits are mined; undefined when there are none. */
  nextNonce(wallet: Address): bigint | undefined {
    const nonces = (this.#waiting.get(wallet) ?? []).map(({ permit }) => permit.nonce + 1n);
    return nonces.reduce<bigint | undefined>(
      (most, next) => (most === undefined || next > most ? next : most),
      undefined,
    );
  }

  get isQuiet(): boolean {
    return this.#waiting.size === 0;
  }

  close(): void {
    this.#isClosed = true;
  }

  /** Before acceptance; undefined when the order may go on. */
  async check(signed: SignedOrder): Promise<Fault | undefined> {
    if (!hasPermit(signed)) return undefined;
    const { trader } = signed.order;
    const admitted = [...this.#admitted.values()].filter(({ order }) => order.trader === trader);
    const fault = await this.#options.judge.check(signed, [...(this.#waiting.get(trader) ?? []), ...admitted]);
    if (fault === undefined) this.#admitted.set(signed.orderHash, signed);
    // A used nonce is answered before anything about money.
    return fault !== undefined && this.#isNonceUsed(signed) ? undefined : fault;
  }

  /** Its order is placed, or will not be. */
  release({ orderHash }: SignedOrder): void {
    this.#admitted.delete(orderHash);
  }

  /** An order with a permit became durable. */
  add(signed: OrderWithPermit): void {
    const { trader } = signed.order;
    const waiting = this.#waiting.get(trader);
    if (waiting !== undefined) {
      waiting.push(signed);
      return;
    }
    this.#waiting.set(trader, [signed]);
    void this.#work(trader);
  }

  #isNonceUsed(signed: OrderWithPermit): boolean {
    const { reads, nowMs } = this.#options;
    const [output] = reads.preview({ ...signed, type: 'place-order', timeMs: nowMs() });
    return output?.type === 'command-refused' && output.code === 'nonce_already_used';
  }

  async #work(trader: Address): Promise<void> {
    const waiting = this.#waiting.get(trader) ?? [];
    // What was accepted in one turn is sorted before the first goes.
    await sleep(0);
    while (waiting.length > 0 && !this.#isClosed) {
      waiting.sort((a, b) => Number(a.permit.nonce - b.permit.nonce));
      const first = waiting[0] as OrderWithPermit;
      await this.#bringToChain(first);
      waiting.splice(waiting.indexOf(first), 1);
    }
    if (this.#isClosed) return;
    this.#waiting.delete(trader);
    for (const listener of this.#listeners) listener();
  }

  async #bringToChain(signed: OrderWithPermit): Promise<void> {
    while (!this.#isClosed) {
      try {
        return await this.#relay(signed);
      } catch (error) {
        this.#options.onTrouble(error);
        await sleep(RETRY_MS, undefined, { ref: false });
      }
    }
  }

  /** Throws only what may pass: an unreachable chain. */
  async #relay(signed: OrderWithPermit): Promise<void> {
    const { judge, relayer, calls } = this.#options;
    const skipped = await judge.findObstacle(signed);
    if (skipped !== undefined) return this.#finish(signed, skipped);
    try {
      const call = calls.toOrderPermit(signed.order.trader, signed.permit);
      const record = await relayer.admit(call, { timeoutMs: Number.POSITIVE_INFINITY });
      const { stage, hash } = await relayer.out(record);
      if (stage === 'submitted' && hash !== null) await this.#publish(signed, { status: 'submitted', txHash: hash });
      // From here on the state that fills are judged on contains it, whatever it did.
      await relayer.mined(record);
      this.#conclude(signed, record).catch(this.#options.onTrouble);
    } catch (error) {
      if (!(error instanceof PresageError) || error.code === 'chain_unavailable') throw error;
      await this.#finish(signed, await judge.explain(signed, error));
    }
  }

  async #conclude(signed: OrderWithPermit, record: RelayRecord): Promise<void> {
    const { relayer, judge } = this.#options;
    const { stage, hash, reason } = await relayer.decided(record);
    if (stage === 'confirmed' && hash !== null) return this.#finish(signed, { status: 'confirmed', txHash: hash });
    const reverted = new PresageError('simulation_failed', { reason: reason ?? 'the transaction reverted' });
    await this.#finish(signed, await judge.explain(signed, reverted));
  }

  async #finish(signed: OrderWithPermit, outcome: PermitOutcome): Promise<void> {
    await this.#publish(signed, outcome);
    await this.#options.journal.append({ kind: 'permit-ended', orderHash: signed.orderHash });
  }

  #publish({ orderHash, order }: OrderWithPermit, outcome: PermitOutcome): Promise<void> {
    const { note, nowMs } = this.#options;
    return note({ type: 'permit-changed', timeMs: nowMs(), marketId: order.marketId, orderHash, ...outcome });
  }
}
