// Brings every matched trade to the chain once: plans, simulates, sends, and repairs the book where a trader is to blame.
import type { Contracts, OperationView, Rpc, WatchedSenderPort } from '@presage/chain';
import type { TradeView } from '@presage/engine';
import { type Hex, type JournalRecord, LIMITS } from '@presage/protocol';
import { backoffMs, SerialQueue } from '@presage/runtime';
import { encodeBatch } from './batch-encoding.ts';
import { BatchFollower } from './batch-follower.ts';
import { type Judgement, judgeBatch } from './batch-judgement.ts';
import { planBatch } from './batch-plan.ts';
import { simulateBatch } from './batch-simulation.ts';
import type {
  BatchJournal,
  BatchRecord,
  PlannedFill,
  PrepareWallets,
  SettlementReads,
  TradeCommands,
  WalletHolds,
} from './ports.ts';
import { WaitingTrades } from './waiting-trades.ts';

export interface SettlementOptions {
  readonly contracts: Contracts;
  readonly rpc: Rpc;
  readonly settler: Hex;
  readonly reads: SettlementReads;
  readonly commands: TradeCommands;
  readonly sender: WatchedSenderPort;
  readonly batches: BatchJournal;
  /** Batches of earlier runs, oldest first. */
  readonly formerBatches: readonly BatchRecord[];
  readonly prepareWallets?: PrepareWallets;
  readonly holds?: WalletHolds;
  readonly nowSeconds: () => number;
  readonly graceSeconds: number;
  readonly log: { warn(details: object, message: string): void };
  readonly batchesInFlight?: number;
}

/** A fault that may pass is tried again after this, doubling up to the longest. */
const RETRY = { firstMs: 500, longestMs: 15_000 };
/** Batches overlap only for wallets that do not, so a few hide the time of a block. */
const BATCHES_IN_FLIGHT = 4;
const BATCH_BASE_GAS = 800_000n;
/** More than any fill takes, mint on sale into cold slots included; what is not used is not paid. */
const FILL_GAS = 280_000n;

export class Settlement {
  readonly #options: SettlementOptions;
  readonly #waiting = new WaitingTrades();
  /** Until the chain cannot take them back. */
  readonly #followed = new Map<string, BatchFollower>();
  readonly #attempts = new Map<string, number>();
  readonly #steps = new SerialQueue();
  #isWoken = false;
  #isClosed = false;
  #failures = 0;
  #timer: NodeJS.Timeout | undefined;
  #batchCount: number;

  constructor(options: SettlementOptions) {
    this.#options = options;
    this.#batchCount = options.formerBatches.length;
    this.#recover();
    options.sender.onChange((operation) => this.#onOperation(operation));
    options.holds?.onReleased(() => this.#wake());
  }

  get queued(): number {
    return this.#waiting.size;
  }

  /** Batches with a fill that is not mined yet. */
  get batchesInFlight(): number {
    return [...this.#followed.values()].filter((batch) => batch.busyWallets().length > 0).length;
  }

  /** Nothing waits to be sent or mined. */
  get isQuiet(): boolean {
    return this.queued === 0 && this.batchesInFlight === 0;
  }

  gauges(): Record<string, { help: string; read: () => number }> {
    return { presage_settlement_waiting: { help: 'Trades that wait to be sent', read: () => this.queued } };
  }

  /** Begins with what an earlier run left: batches that the sender knows are followed, the rest is sent anew. */
  start(): void {
    for (const batchId of this.#followed.keys()) this.#follow(batchId);
    this.#wake();
  }

  /** A record of the markets became durable. */
  follow(record: JournalRecord): void {
    if (record.type !== 'trade-matched') return;
    this.#waiting.add(record);
    this.#wake();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#steps.idle();
  }

  #onOperation({ operationId }: OperationView): void {
    if (this.#followed.has(operationId)) this.#follow(operationId);
  }

  #recover(): void {
    const { formerBatches, sender, reads } = this.#options;
    for (const trade of reads.unsettledTrades().sort((a, b) => a.timeMs - b.timeMs)) this.#waiting.add(trade);
    for (const record of formerBatches) {
      for (const { tradeId, attempt } of record.trades) this.#attempts.set(tradeId, attempt);
      const operation = sender.status(record.batchId);
      if (operation === undefined || operation.final) continue;
      this.#followed.set(record.batchId, this.#followerOf(record));
      for (const { tradeId } of record.trades) this.#waiting.take(tradeId);
    }
  }

  #followerOf(record: BatchRecord): BatchFollower {
    const { reads, commands, rpc, contracts } = this.#options;
    return new BatchFollower({
      record,
      reads,
      commands,
      rpc,
      settlementAddress: contracts.settlement.address,
      onReturned: (trade) => this.#waiting.add(trade),
    });
  }

  /** One step after another, so that none sees another half done. */
  #enqueue(step: () => Promise<void>): void {
    this.#steps.run(step).catch((error: unknown) => {
      this.#options.log.warn({ error: String(error) }, 'settlement could not go on; it will be tried again');
      this.#wakeLater();
    });
  }

  #wake(): void {
    if (this.#isWoken || this.#isClosed) return;
    this.#isWoken = true;
    // Not at once: what was matched in one turn travels in one batch.
    setImmediate(() =>
      this.#enqueue(async () => {
        this.#isWoken = false;
        if (!this.#isClosed) await this.#sendAll();
      }),
    );
  }

  #wakeLater(): void {
    if (this.#isClosed) return;
    clearTimeout(this.#timer);
    const delayMs = backoffMs(RETRY, this.#failures++);
    this.#timer = setTimeout(() => {
      for (const batchId of this.#followed.keys()) this.#follow(batchId);
      this.#wake();
    }, delayMs);
  }

  async #sendAll(): Promise<void> {
    while (this.batchesInFlight < (this.#options.batchesInFlight ?? BATCHES_IN_FLIGHT)) {
      const fills = this.#plan();
      if (fills.length === 0 || !(await this.#sendBatch(fills))) return;
      this.#failures = 0;
    }
  }

  #plan(): PlannedFill[] {
    const { reads, holds } = this.#options;
    const waiting = this.#waiting.inOrder(({ marketId, tradeId }) => reads.trade(marketId, tradeId));
    const busy = new Set([...this.#followed.values()].flatMap((batch) => batch.busyWallets()));
    for (const wallet of holds?.held() ?? []) busy.add(wallet);
    return planBatch({ waiting, busy, limit: LIMITS.settlementPairsPerBatch }).map((trade) => this.#toFill(trade));
  }

  #toFill(trade: TradeView): PlannedFill {
    const maker = this.#options.reads.order(trade.makerHash);
    const taker = this.#options.reads.order(trade.takerHash);
    if (maker === undefined || taker === undefined) throw new Error(`trade ${trade.tradeId} has lost an order`);
    return trade.takerSide === 0 ? { trade, buy: taker, sell: maker } : { trade, buy: maker, sell: taker };
  }

  /** False when the rest has to wait. */
  async #sendBatch(planned: readonly PlannedFill[]): Promise<boolean> {
    const { contracts, settler, prepareWallets } = this.#options;
    await prepareWallets?.(planned);
    const simulation = await simulateBatch(contracts, settler, encodeBatch(planned));
    if (simulation.kind === 'refused') {
      const fault = { faultParty: 'operator', reason: simulation.reason } as const;
      await this.#tryLater(planned.map((fill) => ({ fill, fault })));
      return false;
    }
    const judgement = judgeBatch(planned, simulation.codes);
    for (const { fill, fault } of judgement.blame) await this.#fail(fill.trade, fault);
    if (judgement.later.length > 0) await this.#tryLater(judgement.later);
    if (judgement.send.length > 0) await this.#send(judgement.send);
    return judgement.later.length === 0;
  }

  async #fail(trade: TradeView, fault: Judgement['blame'][number]['fault']): Promise<void> {
    this.#waiting.forget(trade.tradeId);
    await this.#options.commands.fail(trade, fault);
  }

  /** Retried until it certainly cannot settle: past the grace of either order the contract refuses it for ever. */
  async #tryLater(later: Judgement['later']): Promise<void> {
    const { nowSeconds, graceSeconds, log } = this.#options;
    for (const { fill, fault } of later) {
      const expirations = [fill.buy, fill.sell].map((order) => Number(order.signed.order.expiration));
      if (nowSeconds() > Math.min(...expirations) + graceSeconds) await this.#fail(fill.trade, fault);
    }
    log.warn(
      { fills: later.length, reason: later[0]?.fault.reason },
      'fills cannot settle now and will be tried again',
    );
    this.#wakeLater();
  }

  async #send(fills: readonly PlannedFill[]): Promise<void> {
    const { batches, sender, contracts } = this.#options;
    const record = { batchId: `batch-${++this.#batchCount}`, trades: fills.map(({ trade }) => this.#attempt(trade)) };
    await batches.append(record);
    for (const { tradeId } of record.trades) this.#waiting.take(tradeId);
    this.#followed.set(record.batchId, this.#followerOf(record));
    await sender.enqueue({
      operationId: record.batchId,
      ...contracts.settlement.call('settleBatch', encodeBatch(fills)),
      gasLimit: BATCH_BASE_GAS + FILL_GAS * BigInt(fills.length),
    });
  }

  #attempt({ marketId, tradeId }: TradeView): BatchRecord['trades'][number] {
    const attempt = (this.#attempts.get(tradeId) ?? 0) + 1;
    this.#attempts.set(tradeId, attempt);
    return { marketId, tradeId, attempt };
  }

  #follow(batchId: string): void {
    this.#enqueue(async () => {
      const batch = this.#followed.get(batchId);
      const view = this.#options.sender.status(batchId);
      if (batch === undefined || view === undefined) return;
      await batch.follow(view);
      if (batch.isOver) this.#followed.delete(batchId);
      this.#wake();
    });
  }
}
