// Moves trades to the stage of the transaction that carries them: submitted, mined, confirmed, or back to waiting.
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
  /** Tells which trades may not fail yet. */
  readonly stoppedReturns?: Pick<StoppedReturns, 'mustWait'>;
  /** Trades that were sent behind unmined fills or unconfirmed permits; undefined for a batch of an earlier run, of which nobody knows. */
  readonly behindUnmined?: ReadonlySet<string>;
  /** Trades that a later batch carries, so this one no longer answers for them. */
  readonly movedOn?: ReadonlySet<string>;
}

/** A fill whose trade this batch no longer answers for, because the trade failed or went on to a later batch. */
export interface LeftFill {
  readonly index: number;
  readonly marketId: MarketId;
  readonly tradeId: string;
  /** Place of the fill on chain although its trade has left; undefined if it is not on chain. */
  readonly settlement: TradeSettlement | undefined;
}

/** Change of one trade of the batch, with the trade as it was. */
type FollowedChange = TradeChange & { readonly trade: TradeView };

export class BatchFollower {
  readonly #context: ChainContext;
  readonly #options: BatchFollowerOptions;
  /** Indexes of fills whose trade this batch still answers for. */
  readonly #open: Set<number>;
  #outcomes: { readonly blockHash: string; readonly outcomes: readonly FillOutcome[] } | undefined;
  #isMined = false;
  /** Fills that failed in a block and are not judged yet. */
  #unjudged: readonly JudgedFill[] = [];
  #followed = '';
  #isFinal = false;
  /** Indexes of fills that settled while this batch answered for them. */
  readonly #settled = new Set<number>();
  /** Indexes of trades that failed: the engine forgets failed trades, and also trades that were confirmed long ago. */
  readonly #failed: Set<number>;
  /** Indexes of trades that had failed and are on chain after all, with the hash of the block; undefined for one of an earlier run. */
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

  /** Whether a trade still depends on the batch. */
  get isOpen(): boolean {
    return this.#open.size > 0;
  }

  /** Whether nothing is left to follow: no reorganization can change the effect of the batch. */
  get isOver(): boolean {
    return this.#isFinal && !this.isOpen;
  }

  /** Whether nothing of the batch is left to be mined or judged. */
  get isQuiet(): boolean {
    return !this.isOpen || (this.#isMined && this.unjudgedWallets().length === 0);
  }

  /** Wallets of unmined fills: their next fill would depend on those. */
  unminedWallets(): string[] {
    return this.#isMined ? [] : this.#trades().flatMap(([, { buyer, seller }]) => [buyer, seller]);
  }

  /** Wallets with a failed fill that is not judged yet, apart from trades that have left the batch. */
  unjudgedWallets(): string[] {
    const open = this.#unjudged.filter(({ index }) => this.#open.has(index));
    return open.flatMap(({ trade: { buyer, seller } }) => [buyer, seller]);
  }

  /** Moves the trades to the stage of their transaction. If the attempt fails, its findings are returned with the next progress. */
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

  /** Outcomes of the fills of trades that have left the batch. */
  async leftFills(view: OperationView): Promise<LeftFill[]> {
    const { trades } = this.#record;
    // Fast path: called for every batch that is not final whenever one changes, and nearly all have lost no trade.
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

  /** Notes that trades of the batch are about to fail. Durable before they fail, so that a settler that is killed in between forgets none. */
  async noteFailing(tradeIds: ReadonlySet<string>): Promise<void> {
    const known = this.#failed.size;
    for (const [index, { tradeId }] of this.#record.trades.entries())
      if (tradeIds.has(tradeId)) this.#failed.add(index);
    if (this.#failed.size > known) await this.#options.journal.batches.append(this.record);
  }

  hasFailed({ index }: LeftFill): boolean {
    return this.#failed.has(index);
  }

  /** Whether the recorded state of the trade, on chain or not, equals that of the fill. */
  isKnownAs({ index, settlement }: LeftFill): boolean {
    if (settlement === undefined) return !this.#revived.has(index);
    return this.#revived.get(index) === settlement.blockHash;
  }

  /** Call this before the batch is journalled again. */
  setRevived({ index, settlement }: LeftFill): void {
    if (settlement === undefined) this.#revived.delete(index);
    else this.#revived.set(index, settlement.blockHash);
  }

  /** Settlement data of a transaction that may still be mined. */
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

  /** Makes the batch answer again for a trade that it had returned; the trade is then moved again. */
  reopen(tradeId: string): void {
    for (const [index, trade] of this.#record.trades.entries()) if (trade.tradeId === tradeId) this.#open.add(index);
    this.#followed = '';
  }

  /** Stops answering for a trade that an earlier batch has settled. */
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

  /** Returns all trades: the whole transaction reverted for good or was given up. */
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
    // Reverted as a whole. Nothing is certain before the confirmation; then the sender reports it as failed.
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
    // Evaluated again after the notes are written, since operators may have acted in the meantime.
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

  /** A trade that may not fail yet is returned to the trades that were never sent, and is judged again later. */
  #orReturned(fill: JudgedFill): JudgedFill {
    const { trade, verdict } = fill;
    if (verdict.kind !== 'blamed' || trade.stage === 'failed') return fill;
    if (this.#options.stoppedReturns?.mustWait(trade, verdict.fault) !== true) return fill;
    return { ...fill, verdict: { kind: 'returned', isUncertain: false } };
  }

  /** Journals deceptions before their trades fail, so that a process that is killed in between forgets none. */
  async #noteDeceptions(judged: readonly JudgedFill[], outcomes: readonly FillOutcome[]): Promise<void> {
    for (const fill of judged) {
      const deception = this.#findDeception(fill, outcomes[fill.index]!);
      if (deception === undefined) continue;
      this.#context.log.warn(deception, 'wallet refused on chain what it had accepted in the simulation');
      await this.#options.journal.deceptions.append(deception);
    }
  }

  /** Finds a contract wallet that changed its answer; a key's signature is the same everywhere. Fills that were not simulated are not blamed. */
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

  /** Reads outcomes once per block: they are the same at the confirmation. */
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

  /** Changes of a fill. One that did not settle is judged only at the confirmation: until then another block could still settle it. */
  #changesOf(
    { index, trade, verdict }: JudgedFill,
    view: OperationView,
    stage: 'mined' | 'confirmed',
  ): FollowedChange[] {
    if (verdict.kind === 'settled') return this.#pathOf(trade, stage, view, index, verdict.minted);
    if (stage === 'mined') return [];
    if (verdict.kind === 'returned') return this.#pathOf(trade, 'retrying', view, index);
    // Written already, by a journal that could not confirm it or by the previous settler.
    if (trade.stage === 'failed') return [];
    const settlement = this.#settlementAt(view, index);
    // The block that settled it has left the chain.
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

  /** Writes all changes at once. */
  async #change(changes: readonly FollowedChange[]): Promise<void> {
    if (changes.length === 0) return;
    // A settler that has been replaced without noticing would take back trades that its successor saw mined later.
    if (changes.some(isTakenBack)) await this.#options.journal.confirm();
    await this.#context.commands.changeTrades(changes);
  }

  /** All stages up to the given one, so that a move missed in a crash is made up for; a new transaction or block is recorded again. */
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

/** Whether the change takes back a trade that a block had settled. */
function isTakenBack({ trade: { stage }, to }: FollowedChange): boolean {
  return to === 'retrying' && (stage === 'mined' || stage === 'confirmed');
}

/** Progress of a batch since it was last followed. */
export class BatchProgress {
  /** Gas that the attempted fills used in a block. */
  measured: { readonly fills: number; readonly gasUsed: bigint } | undefined;
  /** Fills that a block has settled. */
  readonly settled: TradeView[] = [];
  /** Whether a fill, or the whole batch, unexpectedly failed in a block. */
  isUnsettled = false;
  /** Trades that must be sent in another batch. */
  readonly returned: { readonly trade: TradeView; readonly isUncertain: boolean }[] = [];
  /** Ids of trades that are final. */
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
