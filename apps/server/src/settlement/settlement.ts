// Settles every matched trade on chain once: plans, simulates, sends, and repairs the book if a trader is to blame.

import { isSizeRefusal, type OperationView, type SettleBatchArguments, type WatchedSenderPort } from '@presage/chain';
import { fillCodes } from '@presage/contracts';
import type { TradeView } from '@presage/engine';
import type { BatchRecord, Hex, JournalRecord, MarketId } from '@presage/protocol';
import { SerialQueue } from '@presage/runtime';
import type { ChainContext } from '../chains/chain-context.ts';
import type { ChainLog } from '../chains/chain-log.ts';
import type { DeceptiveWallets } from '../chains/deceptive-wallets.ts';
import type { MarketPauses } from '../chains/market-pauses.ts';
import type { WaitingPermits } from '../relayer/waiting-permits.ts';
import { BatchChooser } from './batch-choice.ts';
import { encodeBatch } from './batch-encoding.ts';
import { BatchFollower, type BatchFollowerOptions, type BatchProgress } from './batch-follower.ts';
import type { BatchGas } from './batch-gas.ts';
import { type Judgement, touches } from './batch-judgement.ts';
import { type BatchPlanInput, fitsInFlight, planBatch, withinBytes } from './batch-plan.ts';
import type { BatchSimulator, Predecessor, SimulatedCodes } from './batch-simulation.ts';
import { BatchesInFlight } from './batches-in-flight.ts';
import { Depositors } from './depositors.ts';
import { toFault } from './fill-fault.ts';
import { LeftFills } from './left-fills.ts';
import { openPipeline, type Pipeline } from './pipeline.ts';
import type { PlannedFill, WalletPreparation } from './ports.ts';
import { Retries, type SettlementTrouble } from './retries.ts';
import { judgeSimulated } from './simulated-judgement.ts';
import { type MarketStops, StoppedReturns } from './stopped-returns.ts';
import { FAULT_WAITS, WaitingFaults } from './waiting-faults.ts';
import { WaitingTrades } from './waiting-trades.ts';

export interface SettlementOptions {
  /** Address of the settler's account, which sends. */
  readonly settler: Hex;
  readonly sender: WatchedSenderPort;
  readonly journal: Pick<ChainLog, 'batches' | 'deceptions' | 'confirm'>;
  /** Batches of earlier runs that are not over, and the newest, whose number the next continues; oldest first. */
  readonly previousBatches: readonly BatchRecord[];
  /** Wallets that have deceived, from the journal: a deception counts once it is durable. */
  readonly deceptive: DeceptiveWallets;
  readonly pauses: Pick<MarketPauses, 'isPaused' | 'paused'>;
  readonly preparation?: WalletPreparation | undefined;
  /** Wallets whose fills wait until a permit is mined, even if it was mined before and lost its block. */
  readonly holds?: Pick<WaitingPermits, 'held' | 'onReleased' | 'isUnconfirmed' | 'lostAllowance'>;
  /** Stops that operators have set; undefined if the service has no operators. */
  readonly stops?: MarketStops | undefined;
  /** Whether a quick market has left the chain for good. */
  readonly isGone: (marketId: MarketId) => boolean;
  /** Called when a failed trade is on chain after all. */
  readonly onRevived: () => void;
}

const NOBODY: ReadonlySet<string> = new Set();
const BATCH_PREFIX = 'batch-';
const UNKNOWN = toFault(fillCodes.MARKET_UNKNOWN);
const GONE = { faultParty: 'chain', reason: 'a deep reorganization removed the market from the chain' } as const;
const PAUSED = toFault(fillCodes.MARKET_PAUSED);

export class Settlement {
  readonly #context: ChainContext;
  readonly #options: SettlementOptions;
  readonly #waiting = new WaitingTrades();
  readonly #inFlight: BatchesInFlight;
  /** Number of attempts of each trade, until it is final. */
  readonly #attempts = new Map<string, number>();
  /** Trades that failed behind an unmined fill. */
  readonly #uncertain = new Set<string>();
  readonly #stoppedReturns: StoppedReturns | undefined;
  readonly #waitingFaults: WaitingFaults;
  readonly #unlisten: (() => void) | undefined;
  /** Queues of sending and following; each runs step by step and neither waits for the other. */
  readonly #sending = new SerialQueue();
  readonly #following = new SerialQueue();
  readonly #chooser: BatchChooser;
  readonly #depositors: Depositors;
  readonly #leftFills: LeftFills;
  readonly #retries = new Retries(() => this.#tryAgain());
  #pipeline: Pipeline | undefined;
  #isWoken = false;
  #isClosed = false;
  #gathering: NodeJS.Timeout | undefined;
  #batchCount: number;

  /** Subscribes to the sender and to held wallets at once; sends from `start`. */
  constructor(context: ChainContext, options: SettlementOptions) {
    this.#context = context;
    this.#options = options;
    this.#batchCount = Number(options.previousBatches.at(-1)?.batchId.slice(BATCH_PREFIX.length) ?? 0);
    this.#chooser = new BatchChooser(context.chain.simulation, () => context.clock.nowSeconds());
    this.#depositors = new Depositors(context);
    this.#stoppedReturns = options.stops && new StoppedReturns(context, options.stops);
    this.#waitingFaults = new WaitingFaults(context, this.#waiting, this.#stoppedReturns);
    this.#inFlight = new BatchesInFlight((batchId) => options.sender.status(batchId));
    const { sender, journal, onRevived } = options;
    const parts = { inFlight: this.#inFlight, waiting: this.#waiting, sender, journal, onRevived };
    this.#leftFills = new LeftFills(context, parts);
    this.#recover();
    options.sender.onChange((operation) => this.#onOperation(operation));
    options.holds?.onReleased(() => this.#wake());
    this.#unlisten = options.stops?.onLifted(() => this.#waitingFaults.size > 0 && this.#retries.now());
  }

  get queued(): number {
    return this.#waiting.size;
  }

  /** Number of batches that are not mined, or have a fill that is not judged. */
  get batchesInFlight(): number {
    return this.#inFlight.unfinished;
  }

  /** Reason why trades are not sent, from the attempts since the start. */
  get trouble(): SettlementTrouble {
    return this.#retries.trouble;
  }

  /** Makes the next attempt now. */
  retry(): void {
    this.#retries.now();
  }

  /** Whether no trade waits to be sent or mined. */
  get isQuiet(): boolean {
    return this.queued === 0 && this.batchesInFlight === 0;
  }

  gauges(): Record<string, { help: string; read: () => number }> {
    return {
      presage_settlement_waiting: { help: 'Trades that wait to be sent', read: () => this.queued },
      presage_settlement_batches: { help: 'Batches that are not mined or judged', read: () => this.batchesInFlight },
    };
  }

  /** Resumes the work of an earlier run: batches that the sender knows are followed, other trades are sent again. */
  start(): void {
    this.#tryAgain();
  }

  /** Called with each durable record of the markets. */
  follow(record: JournalRecord): void {
    if (record.type !== 'trade-matched') return;
    this.#waiting.add(record);
    // While the chain is unreachable, every match would cause another failed attempt and another line in the log.
    if (!this.#retries.mustRest()) this.#wake();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#unlisten?.();
    this.#retries.close();
    clearTimeout(this.#gathering);
    await Promise.all([this.#sending.idle(), this.#following.idle()]);
  }

  #onOperation({ operationId }: OperationView): void {
    if (this.#inFlight.get(operationId) === undefined) return;
    this.#follow(operationId);
    // The next batch may be waiting for the node to have this one.
    this.#wake();
  }

  #recover(): void {
    const { previousBatches, sender } = this.#options;
    const { reads } = this.#context;
    for (const trade of reads.unsettledTrades().sort((a, b) => a.timeMs - b.timeMs)) this.#waiting.add(trade);
    // A batch that returned a trade is kept until it is final, while a later one carries the trade: the last one answers for it.
    const lastBatches = new Map(
      previousBatches.flatMap(({ batchId, trades }) => trades.map((trade) => [trade.tradeId, batchId])),
    );
    for (const record of previousBatches) {
      const operation = sender.status(record.batchId);
      const isOpen = operation !== undefined && !operation.final;
      const own = record.trades.filter(({ tradeId }) => lastBatches.get(tradeId) === record.batchId);
      if (isOpen) {
        const movedOn = record.trades.filter((trade) => !own.includes(trade)).map(({ tradeId }) => tradeId);
        this.#inFlight.add(this.#toFollower(record, { movedOn: new Set(movedOn) }));
      }
      for (const { tradeId, attempt } of own) {
        if (isOpen || this.#waiting.has(tradeId)) this.#attempts.set(tradeId, attempt);
        if (isOpen) this.#waiting.take(tradeId);
      }
    }
  }

  #toFollower(record: BatchRecord, known: Omit<BatchFollowerOptions, 'journal'>): BatchFollower {
    const { journal } = this.#options;
    const stoppedReturns = this.#stoppedReturns;
    return new BatchFollower(this.#context, record, { ...known, journal, ...(stoppedReturns && { stoppedReturns }) });
  }

  #applyProgress({ measured, settled, isUnsettled, returned, final }: BatchProgress): void {
    if (measured !== undefined) {
      this.#pipeline?.gas.observe(measured.fills, measured.gasUsed);
      this.#pipeline?.gas.accept(measured.fills);
    }
    if (isUnsettled) this.#chooser.proven.clear();
    for (const trade of settled) this.#chooser.proven.add(trade);
    for (const { trade, isUncertain } of returned) this.#takeBack(trade, isUncertain);
    for (const tradeId of final) this.#removeTrade(tradeId);
  }

  #takeBack(trade: TradeView, isUncertain: boolean): void {
    this.#waiting.add(trade);
    if (!isUncertain) return;
    this.#uncertain.add(trade.tradeId);
    this.#options.preparation?.invalidate([trade.buyer, trade.seller]);
  }

  #removeTrade(tradeId: string): void {
    this.#waiting.remove(tradeId);
    this.#attempts.delete(tradeId);
    this.#uncertain.delete(tradeId);
    this.#waitingFaults.remove(tradeId);
  }

  #enqueue(queue: SerialQueue, step: () => Promise<void>): void {
    queue.run(step).catch((error: unknown) => {
      this.#context.log.warn({ error: String(error) }, 'settlement round failed; retrying');
      this.#retries.later(String(error));
      this.#retries.rest();
    });
  }

  #wake(): void {
    if (this.#isWoken || this.#isClosed) return;
    this.#isWoken = true;
    // Deferred, so that trades matched in one turn travel in one batch.
    setImmediate(() =>
      this.#enqueue(this.#sending, async () => {
        this.#isWoken = false;
        if (!this.#isClosed) await this.#sendAll();
      }),
    );
  }

  #tryAgain(): void {
    for (const batchId of this.#inFlight.ids()) this.#follow(batchId);
    this.#wake();
  }

  async #sendAll(): Promise<void> {
    if (this.#waiting.size === 0) return;
    await this.#options.sender.ready();
    this.#pipeline ??= await openPipeline(this.#context, this.#options.settler);
    if (this.#options.deceptive.hasAny) await this.#failDeceptive();
    while (await this.#sendNext(this.#pipeline)) this.#retries.onProgress();
  }

  /** Sends the next batch; false if the rest must wait: for a block, for the node to have an earlier batch, or for a fault to pass. */
  async #sendNext(pipeline: Pipeline): Promise<boolean> {
    const { simulator, gas } = pipeline;
    // Not even one more fill fits, so any plan would wait.
    if (!this.#fitsInFlight(1, pipeline)) return false;
    const paused = this.#findPaused();
    const unmined = new Set([...this.#inFlight.unminedWallets(), ...paused.wallets]);
    const stopped = this.#waitingFaults.review();
    const resting = new Set([...paused.trades, ...stopped]);
    const { planned, isProven } = this.#chooser.choose(this.#plan({ unmined, paused: resting }, gas.maxFills));
    if (planned.length === 0 && resting.size > 0) this.#retries.later(stopped.length > 0 ? FAULT_WAITS : PAUSED.reason);
    if (planned.length === 0 || !this.#fitsInFlight(planned.length, pipeline)) return false;
    if (isProven ? this.#isGathering(planned.length, gas) : this.#mustWaitForNode(planned, simulator)) return false;
    const assumed = (await this.#options.preparation?.prepare(planned)) ?? NOBODY;
    await this.#depositors.learn(planned.map(({ trade }) => trade));
    const encoded = this.#encode(planned);
    if (isProven) {
      const gasLimit = gas.limitFor(planned.length);
      await this.#send(planned, { unmined, assumed, encoded, gasLimit, isSimulated: false });
      return true;
    }
    const simulation = await simulator.simulate(encoded, () => this.#predecessors());
    if (simulation.kind === 'refused') {
      this.#retries.onRefusedBatch();
      const fault = { faultParty: 'operator', reason: simulation.reason } as const;
      await this.#tryLater(planned.map((fill) => ({ fill, fault })));
      this.#retries.rest();
      return false;
    }
    this.#learnGas(planned.length, simulation, gas);
    const site = { ...this.#context, holds: this.#options.holds };
    const batch = { planned, encoded, unmined, simulator };
    const { judgement, gasUsed } = await judgeSimulated(site, simulation, batch);
    const isWhole = judgement.send.length === planned.length;
    const gasLimit = gas.limitFor(judgement.send.length, isWhole ? gasUsed : undefined);
    return this.#act(judgement, { unmined, assumed, gasLimit, isSimulated: true, ...(isWhole && { encoded }) });
  }

  #learnGas(planned: number, { codes, gasUsed }: SimulatedCodes, gas: BatchGas): void {
    const reached = codes.filter((code) => code !== fillCodes.NOT_ATTEMPTED).length;
    if (gasUsed !== undefined) gas.observe(reached, gasUsed);
    if (reached < planned) gas.observeReach(reached);
  }

  #fitsInFlight(fills: number, { gas, limits }: Pipeline): boolean {
    const inFlight = this.#inFlight.gasInFlight((count) => gas.limitFor(count));
    return fitsInFlight(inFlight, gas.limitFor(fills), limits);
  }

  #plan(known: Pick<BatchPlanInput, 'unmined' | 'paused'>, limit: number): PlannedFill[] {
    const waiting = this.#waitingTrades();
    const held = new Set([...this.#inFlight.unjudgedWallets(), ...(this.#options.holds?.held() ?? [])]);
    const isSuspect = (trade: TradeView) => this.#options.deceptive.isSuspect(trade);
    const planned = planBatch({ ...known, waiting, held, uncertain: this.#uncertain, isSuspect, limit });
    return withinBytes(planned.map((trade) => this.#toFill(trade)));
  }

  /** Waiting trades, without failed ones: a failure that the journal refused to write may turn out to be written. */
  #waitingTrades(): Iterable<TradeView> {
    const { reads } = this.#context;
    return this.#waiting.inOrder(({ marketId, tradeId }) => {
      const trade = reads.trade(marketId, tradeId);
      return trade?.stage === 'failed' ? undefined : trade;
    });
  }

  /** Trades of paused markets, which wait, and their wallets. One that is too old at the resumption is sent, and found to be void. */
  #findPaused(): { readonly trades: ReadonlySet<string>; readonly wallets: ReadonlySet<string> } {
    const markets = new Set(this.#options.pauses.paused());
    const inPaused =
      markets.size === 0 ? [] : [...this.#waitingTrades()].filter(({ marketId }) => markets.has(marketId));
    const held = inPaused.filter((trade) => this.#giveUp({ fill: this.#toFill(trade), fault: PAUSED }).length === 0);
    return {
      trades: new Set(held.map(({ tradeId }) => tradeId)),
      wallets: new Set(held.flatMap(({ buyer, seller }) => [buyer, seller])),
    };
  }

  #isGathering(fills: number, gas: BatchGas): boolean {
    const unmined = this.#inFlight.unmined().length;
    const leftMs = this.#chooser.gatheringMs({ isFull: fills >= gas.maxFills, unmined });
    if (leftMs === 0) return false;
    clearTimeout(this.#gathering);
    if (!this.#isClosed) this.#gathering = setTimeout(() => this.#wake(), leftMs);
    return true;
  }

  /** Whether the batch must wait until the node has earlier ones of its wallets, because the node itself executes them before a simulation. */
  #mustWaitForNode(planned: readonly PlannedFill[], { needsPredecessorsAtNode }: BatchSimulator): boolean {
    if (!needsPredecessorsAtNode) return false;
    const absent = this.#inFlight.absentWallets();
    return absent.size > 0 && planned.some(({ trade }) => touches(trade, absent));
  }

  #predecessors(): Predecessor[] {
    const { reads } = this.#context;
    return this.#inFlight.unmined().flatMap((batch) => {
      const trades = batch.record.trades.flatMap(({ marketId, tradeId }) => reads.trade(marketId, tradeId) ?? []);
      const nonce = this.#inFlight.nonceOf(batch);
      return nonce === undefined ? [] : [{ nonce, batch: this.#encode(trades.map((trade) => this.#toFill(trade))) }];
    });
  }

  #encode(fills: readonly PlannedFill[]): SettleBatchArguments {
    return encodeBatch(fills, {
      features: this.#pipeline?.features,
      hasDeposit: (wallet) => this.#depositors.has(wallet),
    });
  }

  #toFill(trade: TradeView): PlannedFill {
    const maker = this.#context.reads.order(trade.makerHash);
    const taker = this.#context.reads.order(trade.takerHash);
    if (maker === undefined || taker === undefined) throw new Error(`trade ${trade.tradeId} has lost an order`);
    return trade.takerSide === 0 ? { trade, buy: taker, sell: maker } : { trade, buy: maker, sell: taker };
  }

  async #act(judgement: Judgement, known: SimulatedBehind): Promise<boolean> {
    const { preparation } = this.#options;
    for (const { trade } of judgement.uncertain) this.#uncertain.add(trade.tradeId);
    // Cached state of a wallet is read again before anybody is blamed for it.
    const isAssumed = ({ trade }: PlannedFill) => touches(trade, known.assumed);
    const failing = [...judgement.uncertain, ...judgement.blame.map(({ fill }) => fill)];
    preparation?.invalidate(failing.flatMap(({ trade: { buyer, seller } }) => [buyer, seller]));
    await this.#fail(judgement.blame.filter(({ fill }) => !isAssumed(fill)));
    this.#depositors.forget(judgement.later.map(({ fill }) => fill.trade));
    if (judgement.later.length > 0) await this.#tryLater(judgement.later);
    if (judgement.send.length > 0) await this.#send(judgement.send, known);
    return judgement.later.length === 0;
  }

  /** Fails trades of wallets that have deceived too often, without sending them. */
  async #failDeceptive(): Promise<void> {
    const blamed = [...this.#waitingTrades()].flatMap((trade) => {
      const fault = this.#options.deceptive.findFault(trade);
      return fault === undefined ? [] : [{ fill: this.#toFill(trade), fault }];
    });
    await this.#fail(blamed);
  }

  /** Fails trades. One whose failure could not be written, or would return an order to a stopped market, stays waiting and is judged again. */
  async #fail(faulty: Judgement['blame']): Promise<void> {
    const blamed = this.#mayFail(faulty);
    if (blamed.length === 0) return;
    // A settler that has been replaced without noticing sees fills of its successor's batches as already filled.
    await this.#options.journal.confirm();
    await this.#leftFills.noteFailing(blamed.map(({ fill }) => fill.trade.tradeId));
    // Checked again, since operators may have acted while the notes were written.
    const failing = this.#mayFail(blamed);
    if (failing.length === 0) return;
    await this.#context.commands.changeTrades(failing.map(({ fill, fault }) => ({ trade: fill.trade, to: fault })));
    for (const { fill } of failing) this.#removeTrade(fill.trade.tradeId);
  }

  #mayFail(faulty: Judgement['blame']): Judgement['blame'] {
    return faulty.filter(({ fill, fault }) => !this.#waitingFaults.keep(fill.trade, fault));
  }

  /** Retries fills until they certainly cannot settle: past the grace of its market or of either order, the contract always refuses a fill. */
  async #tryLater(later: Judgement['later']): Promise<void> {
    await this.#fail(later.flatMap((each) => this.#giveUp(each)));
    const reason = later[0]?.fault.reason;
    this.#context.log.warn({ fills: later.length, reason }, 'fills cannot settle now; retrying');
    this.#retries.later(reason);
  }

  /** The fill with its final fault; empty while it may still settle. */
  #giveUp({ fill, fault }: Judgement['later'][number]): Judgement['blame'] {
    const { clock, identity, reads } = this.#context;
    const isPast = (end: number) => clock.nowSeconds() > end + identity.settlementGraceSeconds;
    const { marketId } = fill.trade;
    const isGone = this.#options.isGone(marketId) || reads.market(marketId)?.closeReason === 'vanished';
    if (fault.reason === UNKNOWN.reason && isGone) return [{ fill, fault: GONE }];
    const market = this.#pipeline?.features.endsMarkets ? reads.market(fill.trade.marketId) : undefined;
    if (market !== undefined && isPast(market.facts.expiration))
      return [{ fill, fault: toFault(fillCodes.MARKET_ENDED) }];
    const isExpired = [fill.buy, fill.sell].some(({ signed }) => isPast(Number(signed.order.expiration)));
    return isExpired ? [{ fill, fault }] : [];
  }

  async #send(fills: readonly PlannedFill[], known: SimulatedBehind): Promise<void> {
    const { unmined, encoded, isSimulated, gasLimit } = known;
    const { journal, sender } = this.#options;
    // An earlier batch may have reclaimed a trade in the meantime; the rest is planned again.
    if (fills.some(({ trade }) => !this.#waiting.has(trade.tradeId))) return;
    this.#chooser.onSent(isSimulated);
    const record = {
      batchId: `${BATCH_PREFIX}${++this.#batchCount}`,
      trades: fills.map(({ trade }) => this.#attempt(trade)),
    };
    // Nobody is blamed for an unsimulated fill or one whose permit may still lose its block: if it fails, it is sent again behind what is mined by then.
    const isUncertain = ({ trade }: PlannedFill) => touches(trade, unmined) || this.#reliesOnUnconfirmed(trade);
    const uncertain = isSimulated ? fills.filter(isUncertain) : fills;
    const behindUnmined = uncertain.map(({ trade }) => trade.tradeId);
    for (const { tradeId } of record.trades) this.#waiting.take(tradeId);
    this.#inFlight.add(this.#toFollower(record, { behindUnmined: new Set(behindUnmined) }));
    // Appended to the journal in this order, and usually durable in one write; nothing is signed before both are.
    const noted = journal.batches.append(record);
    const reserved = sender.enqueue({
      operationId: record.batchId,
      ...this.#context.contracts.settlement.call('settleBatch', encoded ?? this.#encode(fills)),
      gasLimit,
    });
    await Promise.all([noted, reserved]).catch((error: unknown) => {
      this.#unsend(record);
      throw error;
    });
  }

  #reliesOnUnconfirmed({ buyer, seller }: TradeView): boolean {
    const { holds } = this.#options;
    return holds !== undefined && (holds.isUnconfirmed(buyer) || holds.isUnconfirmed(seller));
  }

  /** Returns the trades of a batch that got no nonce, and so was not sent. */
  #unsend({ batchId, trades }: BatchRecord): void {
    if (this.#options.sender.status(batchId) !== undefined) return;
    this.#inFlight.delete(batchId);
    for (const trade of trades) this.#waiting.add(trade);
  }

  #attempt({ marketId, tradeId, settlement }: TradeView): BatchRecord['trades'][number] {
    const attempt = Math.max(this.#attempts.get(tradeId) ?? 0, settlement?.attempt ?? 0) + 1;
    this.#attempts.set(tradeId, attempt);
    this.#uncertain.delete(tradeId);
    return { marketId, tradeId, attempt };
  }

  #follow(batchId: string): void {
    this.#enqueue(this.#following, async () => {
      const batch = this.#inFlight.get(batchId);
      const view = this.#options.sender.status(batchId);
      if (batch === undefined || view === undefined) return;
      if (isSizeRefusal(view.reason)) this.#pipeline?.gas.halve(batch.record.trades.length);
      this.#leftFills.reclaim(batch, view);
      this.#applyProgress(await batch.follow(view));
      for (const reopened of await this.#leftFills.review()) this.#follow(reopened.record.batchId);
      if (batch.isOver) this.#inFlight.delete(batchId);
      this.#wake();
    });
  }
}

interface SimulatedBehind {
  readonly unmined: ReadonlySet<string>;
  /** Wallets whose cached state was used instead of reading the chain for this batch. */
  readonly assumed: ReadonlySet<string>;
  readonly isSimulated: boolean;
  readonly gasLimit: bigint;
  /** The encoded batch, if all of it may be sent as planned. */
  readonly encoded?: SettleBatchArguments;
}
