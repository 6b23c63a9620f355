// Moves trades along with the transaction that carries them: submitted, mined, confirmed, or back to waiting.
import type { OperationView } from '@presage/chain';
import { fillCodes } from '@presage/contracts';
import type { TradeView } from '@presage/engine';
import type { BatchRecord, DeceptionRecord, MarketId, MovedStage, TradeSettlement } from '@presage/protocol';
import type { Log } from 'viem';
import type { ChainContext } from '../chains/chain-context.ts';
import type { ChainLog } from '../chains/chain-log.ts';
import type { TradeChange } from '../host/host-commands.ts';
import { judgeExecuted, type Verdict } from './batch-judgement.ts';
import { type FillOutcome, readOutcomes } from './batch-outcome.ts';
import type { StoppedReturns } from './stopped-returns.ts';
import { pathTo } from './trade-path.ts';

export interface BatchFollowerOptions {
  readonly journal: Pick<ChainLog, 'batches' | 'deceptions' | 'confirm'>;
  /** Says which trades may not fail yet. */
  readonly stoppedReturns?: Pick<StoppedReturns, 'mustWait'>;
  /** Trades that were sent behind fills which were not mined or permits which were not confirmed; unknown for a batch of an earlier run. */
  readonly behindUnmined?: ReadonlySet<string>;
  /** Trades that a later batch carries: this one was done with them before. */
  readonly movedOn?: ReadonlySet<string>;
}

/** A fill whose trade this batch does not answer for any more, because the trade failed or went on to a later batch. */
export interface LeftFill {
  readonly index: number;
  readonly marketId: MarketId;
  readonly tradeId: string;
  /** Where the fill stands on chain although its trade has left; undefined if it does not. */
  readonly settlement: TradeSettlement | undefined;
}

/** One trade of the batch, as it was, to another stage. */
type FollowedChange = TradeChange & { readonly trade: TradeView };

export class BatchFollower {
  readonly #context: ChainContext;
  readonly #options: BatchFollowerOptions;
  /** Places in the batch whose trade this batch still answers for. */
  readonly #open: Set<number>;
  #outcomes: { readonly blockHash: string; readonly outcomes: readonly FillOutcome[] } | undefined;
  #isMined = false;
  /** Fills that failed in a block and are not judged yet. */
  #unjudged: readonly JudgedFill[] = [];
  #followed = '';
  #isFinal = false;
  /** Places that settled while this batch answered for them. */
  readonly #settled = new Set<number>();
  /** Places of trades that failed: the engine forgets those, and those that were confirmed long ago. */
  readonly #failed: Set<number>;
  /** Places of trades that had failed and stand on chain after all, each with its block; undefined for one of an earlier run. */
  readonly #revived: Map<number, string | undefined>;
  readonly #record: BatchRecord;
  #progress = new BatchProgress();

  constructor(context: ChainContext, record: BatchRecord, options: BatchFollowerOptions) {
    this.#context = context;
    this.#record = record;
    this.#options = options;
    const { trades, failed = [], revived = [] } = record;
    this.#failed = new Set(failed);
    this.#revived = new Map(revived.map((index) => [index, undefined]));
    this.#open = new Set([...trades.keys()].filter((index) => !options.movedOn?.has(trades[index]!.tradeId)));
  }

  get isMined(): boolean {
    return this.#isMined;
  }

  get record(): BatchRecord {
    const { batchId, trades } = this.#record;
    const [failed, revived] = [[...this.#failed], [...this.#revived.keys()]];
    return { batchId, trades, ...(failed.length > 0 && { failed }), ...(revived.length > 0 && { revived }) };
  }

  /** Some trade depends on the batch. */
  get isOpen(): boolean {
    return this.#open.size > 0;
  }

  /** Nothing of the batch is left to follow: no reorganization can change what it did. */
  get isOver(): boolean {
    return this.#isFinal && !this.isOpen;
  }

  /** Nothing of the batch is left to be mined or judged. */
  get isQuiet(): boolean {
    return !this.isOpen || (this.#isMined && this.unjudgedWallets().length === 0);
  }

  /** Wallets whose next fill would stand on one that is not mined. */
  unminedWallets(): string[] {
    return this.#isMined ? [] : this.#trades().flatMap(([, { buyer, seller }]) => [buyer, seller]);
  }

  /** Wallets with a fill that failed and waits for its judgement. A trade that has left the batch waits for none here. */
  unjudgedWallets(): string[] {
    const open = this.#unjudged.filter(({ index }) => this.#open.has(index));
    return open.flatMap(({ trade: { buyer, seller } }) => [buyer, seller]);
  }

  /** Moves the trades to where their transaction is; what a failed attempt has found out comes with the next progress. */
  async follow(view: OperationView): Promise<BatchProgress> {
    const state = `${view.stage} ${view.hash} ${view.blockHash} ${view.final}`;
    if (state !== this.#followed) {
      await this.#moveTrades(view);
      this.#followed = state;
      if (view.final) for (const index of this.#open) this.#finish(index);
      this.#isFinal = view.final;
    }
    const progress = this.#progress;
    this.#progress = new BatchProgress();
    return progress;
  }

  /** What became of the fills of trades that have left the batch. */
  async leftFills(view: OperationView): Promise<LeftFill[]> {
    const { trades } = this.#record;
    // Asked of every batch that is not final, whenever one of them moves: nearly all have lost no trade.
    if (this.#open.size === trades.length || this.#settled.size === trades.length) return [];
    const left = [...trades.keys()].filter((index) => !this.#open.has(index) && !this.#settled.has(index));
    if (left.length === 0) return [];
    const outcomes = view.stage === 'confirmed' ? await this.#readOutcomes(view) : undefined;
    return left.map((index) => {
      const outcome = outcomes?.[index];
      const isStanding = outcome?.kind === 'settled';
      const settlement = isStanding ? { ...this.#settlementAt(view, index), minted: outcome.minted } : undefined;
      const { marketId, tradeId } = trades[index]!;
      return { index, marketId, tradeId, settlement };
    });
  }

  /** Notes that trades of the batch are about to fail. Durable before they do: a settler that is killed in between forgets none. */
  async noteFailing(tradeIds: ReadonlySet<string>): Promise<void> {
    const known = this.#failed.size;
    for (const [index, { tradeId }] of this.#record.trades.entries())
      if (tradeIds.has(tradeId)) this.#failed.add(index);
    if (this.#failed.size > known) await this.#options.journal.batches.append(this.record);
  }

  hasFailed({ index }: LeftFill): boolean {
    return this.#failed.has(index);
  }

  /** Whether the trade is known to stand on chain, or not to, as the fill says. */
  isKnownAs({ index, settlement }: LeftFill): boolean {
    if (settlement === undefined) return !this.#revived.has(index);
    return this.#revived.get(index) === settlement.blockHash;
  }

  /** Call it before the batch is noted again. */
  setRevived({ index, settlement }: LeftFill): void {
    if (settlement === undefined) this.#revived.delete(index);
    else this.#revived.set(index, settlement.blockHash);
  }

  /** The place of a transaction that may still be mined. */
  carrierOf(view: OperationView, index: number): TradeSettlement {
    return this.#settlementAt(view, index);
  }

  /** Whether the batch answers for the trade. */
  answersFor(tradeId: string): boolean {
    return [...this.#open].some((index) => this.#record.trades[index]!.tradeId === tradeId);
  }

  /** Whether a block has settled the trade in this batch. */
  hasSettled(tradeId: string): boolean {
    return [...this.#settled].some((index) => this.#record.trades[index]!.tradeId === tradeId);
  }

  /** The batch answers for a trade again that it had returned, and moves it anew. */
  reopen(tradeId: string): void {
    for (const [index, trade] of this.#record.trades.entries()) if (trade.tradeId === tradeId) this.#open.add(index);
    this.#followed = '';
  }

  /** An earlier batch has settled the trade. */
  release(tradeId: string): void {
    for (const [index, trade] of this.#record.trades.entries()) if (trade.tradeId === tradeId) this.#open.delete(index);
  }

  #finish(index: number): void {
    this.#open.delete(index);
    this.#progress.final.push(this.#record.trades[index]!.tradeId);
  }

  #trades(): [number, TradeView][] {
    const trades: [number, TradeView][] = [];
    for (const index of this.#open) {
      const { marketId, tradeId } = this.#record.trades[index]!;
      const trade = this.#context.reads.trade(marketId, tradeId);
      if (trade !== undefined) trades.push([index, trade]);
      else this.#finish(index);
    }
    return trades;
  }

  async #moveTrades(view: OperationView): Promise<void> {
    if (view.stage === 'mined' || view.stage === 'confirmed') return this.#applyOutcomes(view, view.stage);
    this.#isMined = false;
    this.#unjudged = [];
    for (const index of this.#open) this.#settled.delete(index);
    if (view.stage === 'submitted' || view.stage === 'retrying') await this.#moveAll(view, view.stage);
    else if (view.stage === 'failed' || view.stage === 'abandoned') await this.#returnAll(view);
  }

  async #moveAll(view: OperationView, stage: 'submitted' | 'retrying'): Promise<void> {
    await this.#change(this.#trades().flatMap(([index, trade]) => this.#pathOf(trade, stage, view, index)));
  }

  /** The whole transaction reverted for good or was given up. */
  async #returnAll(view: OperationView): Promise<void> {
    const trades = this.#trades();
    this.#progress.isUnsettled = true;
    await this.#change(trades.flatMap(([index, trade]) => this.#pathOf(trade, 'retrying', view, index)));
    for (const [index, trade] of trades) this.#return(index, trade, false);
  }

  async #applyOutcomes(view: OperationView, stage: 'mined' | 'confirmed'): Promise<void> {
    const trades = this.#trades();
    if (trades.length === 0) return;
    const outcomes = await this.#readOutcomes(view);
    // Reverted as a whole: nothing is certain before it is confirmed, and then the sender calls it failed.
    if (outcomes === undefined) {
      this.#progress.isUnsettled = true;
      return;
    }
    const verdicts = judgeExecuted(trades.map(([index, trade]) => this.#executed(index, trade, outcomes)));
    const blamed = trades.map(([index, trade], at) => ({ index, trade, verdict: verdicts[at]! }));
    if (stage === 'confirmed') await this.#noteDeceptions(blamed, outcomes);
    if (stage === 'confirmed') {
      const failing = blamed
        .map((fill) => this.#orReturned(fill))
        .filter(({ verdict }) => verdict.kind === 'blamed')
        .map(({ trade: { tradeId } }) => tradeId);
      await this.noteFailing(new Set(failing));
    }
    // After the notes are written: operators act meanwhile.
    const judged = blamed.map((fill) => this.#orReturned(fill));
    await this.#change(judged.flatMap((fill) => this.#changesOf(fill, view, stage)));
    this.#isMined = true;
    for (const fill of judged) {
      if (isUnsettled(fill)) this.#settled.delete(fill.index);
      else this.#settled.add(fill.index);
    }
    if (judged.some(isUnsettled)) this.#progress.isUnsettled = true;
    else this.#progress.settled.push(...judged.map(({ trade }) => trade));
    if (stage === 'confirmed') this.#close(judged);
    if (stage === 'mined') this.#unjudged = judged.filter(isUnsettled);
  }

  /** A trade that may not fail yet waits with those that were never sent, and is judged anew. */
  #orReturned(fill: JudgedFill): JudgedFill {
    const { trade, verdict } = fill;
    if (verdict.kind !== 'blamed' || trade.stage === 'failed') return fill;
    if (this.#options.stoppedReturns?.mustWait(trade, verdict.fault) !== true) return fill;
    return { ...fill, verdict: { kind: 'returned', isUncertain: false } };
  }

  /** Durable before the trade fails: a process that is killed in between forgets no deception. */
  async #noteDeceptions(judged: readonly JudgedFill[], outcomes: readonly FillOutcome[]): Promise<void> {
    for (const fill of judged) {
      const deception = this.#findDeception(fill, outcomes[fill.index]!);
      if (deception === undefined) continue;
      this.#context.log.warn(deception, 'wallet refused on chain what it had accepted in the simulation');
      await this.#options.journal.deceptions.append(deception);
    }
  }

  /** A key's signature is the same everywhere: only a contract can change its answer. What was not simulated is not blamed. */
  #findDeception({ index, trade, verdict }: JudgedFill, outcome: FillOutcome): DeceptionRecord | undefined {
    if (verdict.kind !== 'blamed' || outcome.kind !== 'failed') return undefined;
    const isBuyer = outcome.code === fillCodes.BUYER_SIGNATURE;
    if (!isBuyer && outcome.code !== fillCodes.SELLER_SIGNATURE) return undefined;
    const { tradeId, attempt } = this.#record.trades[index]!;
    return { wallet: isBuyer ? trade.buyer : trade.seller, tradeId, attempt };
  }

  #executed(index: number, { tradeId, buyer, seller }: TradeView, outcomes: readonly FillOutcome[]) {
    const wasBehindUnmined = this.#options.behindUnmined?.has(tradeId) ?? true;
    return { buyer, seller, outcome: outcomes[index]!, wasBehindUnmined };
  }

  /** Asked once a block: what it did to the fills is the same when it is confirmed. */
  async #readOutcomes(view: OperationView): Promise<readonly FillOutcome[] | undefined> {
    if (this.#outcomes !== undefined && this.#outcomes.blockHash === view.blockHash) return this.#outcomes.outcomes;
    const { rpc, contracts } = this.#context;
    // The node answers a receipt or null; the fields read here are checked below.
    const receipt = (await rpc.request('eth_getTransactionReceipt', [view.hash])) as RawReceipt | null;
    if (receipt?.blockHash !== view.blockHash) throw new Error(`the receipt of ${view.hash} is of another block`);
    if (receipt.status !== '0x1') return undefined;
    const outcomes = readOutcomes(this.#record.trades.length, receipt.logs, contracts.settlement.address);
    const fills = outcomes.filter(({ kind }) => kind !== 'not-attempted').length;
    this.#progress.measured = { fills, gasUsed: BigInt(receipt.gasUsed) };
    this.#outcomes = { blockHash: receipt.blockHash, outcomes };
    return outcomes;
  }

  /** A fill that did not settle is judged only at confirmation: until then another block could still settle it. */
  #changesOf(
    { index, trade, verdict }: JudgedFill,
    view: OperationView,
    stage: 'mined' | 'confirmed',
  ): FollowedChange[] {
    if (verdict.kind === 'settled') return this.#pathOf(trade, stage, view, index, verdict.minted);
    if (stage === 'mined') return [];
    if (verdict.kind === 'returned') return this.#pathOf(trade, 'retrying', view, index);
    // Written already, by a journal that could not say so, or by the settler before this one.
    if (trade.stage === 'failed') return [];
    const settlement = this.#settlementAt(view, index);
    // Settled in a block that has left the chain.
    const back = trade.stage === 'confirmed' ? [{ trade, to: 'retrying', settlement } as const] : [];
    return [...back, { trade, to: verdict.fault, settlement }];
  }

  #close(judged: readonly JudgedFill[]): void {
    this.#unjudged = [];
    for (const { index, trade, verdict } of judged) {
      if (verdict.kind === 'returned') this.#return(index, trade, verdict.isUncertain);
      if (verdict.kind === 'blamed') this.#finish(index);
    }
  }

  #return(index: number, trade: TradeView, isUncertain: boolean): void {
    this.#open.delete(index);
    this.#progress.returned.push({ trade, isUncertain });
  }

  /** One write, however many trades and stages. */
  async #change(changes: readonly FollowedChange[]): Promise<void> {
    if (changes.length === 0) return;
    // A settler that another one has followed and that has not noticed would take back what the other saw mined later.
    if (changes.some(isTakenBack)) await this.#options.journal.confirm();
    await this.#context.commands.changeTrades(changes);
  }

  /** Every stage between, so that a move missed in a crash is made up for; a new transaction or block is written anew. */
  #pathOf(trade: TradeView, stage: MovedStage, view: OperationView, index: number, minted?: number): FollowedChange[] {
    const settlement = { ...this.#settlementAt(view, index), ...(minted !== undefined && { minted }) };
    const changed = trade.stage === stage && isElsewhere(trade.settlement, settlement);
    const path: readonly MovedStage[] =
      changed && stage !== 'retrying' ? ['retrying', ...pathTo('retrying', stage)] : pathTo(trade.stage, stage);
    return path.map((to) => ({ trade, to, settlement }));
  }

  #settlementAt(view: OperationView, batchIndex: number): TradeSettlement {
    const { trades } = this.#record;
    return {
      transactionHash: view.hash ?? '0x',
      batchIndex,
      isBatch: trades.length > 1,
      attempt: trades[batchIndex]!.attempt,
      ...(view.blockNumber !== null && { blockNumber: view.blockNumber }),
      ...(view.blockHash !== null && { blockHash: view.blockHash }),
    };
  }
}

/** A block had settled it. */
function isTakenBack({ trade: { stage }, to }: FollowedChange): boolean {
  return to === 'retrying' && (stage === 'mined' || stage === 'confirmed');
}

/** What became of a batch since it was followed last. */
export class BatchProgress {
  /** The gas that the attempted fills took in a block. */
  measured: { readonly fills: number; readonly gasUsed: bigint } | undefined;
  /** Fills that a block has settled. */
  readonly settled: TradeView[] = [];
  /** A block did not do what was expected of the batch: a fill failed, or all of it. */
  isUnsettled = false;
  /** Trades that must be sent in another batch. */
  readonly returned: { readonly trade: TradeView; readonly isUncertain: boolean }[] = [];
  /** Ids of trades that nothing can change any more. */
  readonly final: string[] = [];
}

interface JudgedFill {
  readonly index: number;
  readonly trade: TradeView;
  readonly verdict: Verdict;
}

interface RawReceipt {
  readonly blockHash: string;
  readonly status: string;
  readonly gasUsed: string;
  readonly logs: readonly Log[];
}

function isUnsettled({ verdict }: JudgedFill): boolean {
  return verdict.kind !== 'settled';
}

function isElsewhere(before: TradeSettlement | undefined, now: TradeSettlement): boolean {
  return before?.transactionHash !== now.transactionHash || before.blockHash !== now.blockHash;
}
