// Moves trades along with the transaction that carries them: submitted, mined, confirmed, or back to waiting.
import type { OperationView, Rpc } from '@presage/chain';
import type { TradeView } from '@presage/engine';
import type { TradeSettlement, TradeStage } from '@presage/protocol';
import type { Log } from 'viem';
import { type FillOutcome, readOutcomes } from './batch-outcome.ts';
import { isCertain, toFault } from './fill-fault.ts';
import type { BatchRecord, SettlementReads, TradeCommands } from './ports.ts';
import { pathTo } from './trade-path.ts';

export interface BatchFollowerOptions {
  readonly record: BatchRecord;
  readonly reads: SettlementReads;
  readonly commands: TradeCommands;
  readonly rpc: Rpc;
  readonly settlementAddress: string;
  /** Trades that must be sent in another batch. */
  readonly onReturned: (trade: TradeView) => void;
}

export class BatchFollower {
  readonly #options: BatchFollowerOptions;
  /** Places in the batch whose trade this batch still answers for. */
  readonly #open: Set<number>;
  #followed = '';

  constructor(options: BatchFollowerOptions) {
    this.#options = options;
    this.#open = new Set(options.record.trades.keys());
  }

  /** Nothing of the batch is left to follow. */
  get isOver(): boolean {
    return this.#open.size === 0;
  }

  /** Wallets with a fill here that is not mined yet. */
  busyWallets(): string[] {
    return this.#trades()
      .filter(([, { stage }]) => stage !== 'mined' && stage !== 'confirmed')
      .flatMap(([, { buyer, seller }]) => [buyer, seller]);
  }

  async follow(view: OperationView): Promise<void> {
    const state = `${view.stage} ${view.hash} ${view.blockHash} ${view.final}`;
    if (state === this.#followed) return;
    await this.#moveTrades(view);
    this.#followed = state;
    if (view.final) this.#open.clear();
  }

  #trades(): [number, TradeView][] {
    const trades: [number, TradeView][] = [];
    for (const index of this.#open) {
      const { marketId, tradeId } = this.#options.record.trades[index]!;
      const trade = this.#options.reads.trade(marketId, tradeId);
      if (trade === undefined) this.#open.delete(index);
      else trades.push([index, trade]);
    }
    return trades;
  }

  async #moveTrades(view: OperationView): Promise<void> {
    if (view.stage === 'submitted' || view.stage === 'retrying') await this.#moveAll(view, view.stage);
    else if (view.stage === 'mined' || view.stage === 'confirmed') await this.#applyOutcomes(view, view.stage);
    else if (view.stage === 'failed' || view.stage === 'abandoned') await this.#returnAll(view);
  }

  async #moveAll(view: OperationView, stage: 'submitted' | 'retrying'): Promise<void> {
    for (const [index, trade] of this.#trades()) await this.#moveTo(trade, stage, this.#settlementAt(view, index));
  }

  /** The whole transaction reverted for good or was given up. */
  async #returnAll(view: OperationView): Promise<void> {
    for (const [index, trade] of this.#trades()) {
      await this.#moveTo(trade, 'retrying', this.#settlementAt(view, index));
      this.#return(index, trade);
    }
  }

  async #applyOutcomes(view: OperationView, stage: 'mined' | 'confirmed'): Promise<void> {
    const trades = this.#trades();
    if (trades.length === 0) return;
    const outcomes = await this.#readOutcomes(view);
    // Reverted as a whole: nothing is certain before it is confirmed, and then the sender calls it failed.
    if (outcomes === undefined) return;
    for (const [index, trade] of trades) await this.#apply({ index, trade, view, stage, outcome: outcomes[index]! });
  }

  async #readOutcomes(view: OperationView): Promise<FillOutcome[] | undefined> {
    const { record, settlementAddress, rpc } = this.#options;
    const receipt = (await rpc.request('eth_getTransactionReceipt', [view.hash])) as RawReceipt | null;
    if (receipt?.blockHash !== view.blockHash) throw new Error(`the receipt of ${view.hash} is of another block`);
    if (receipt.status !== '0x1') return undefined;
    return readOutcomes(record.trades.length, receipt.logs, settlementAddress);
  }

  /** A fill that did not settle is judged only at confirmation: until then another block could still settle it. */
  async #apply(step: {
    index: number;
    trade: TradeView;
    view: OperationView;
    stage: 'mined' | 'confirmed';
    outcome: FillOutcome;
  }): Promise<void> {
    const { index, trade, view, stage, outcome } = step;
    const settlement = this.#settlementAt(view, index);
    if (outcome.kind === 'settled') {
      await this.#moveTo(trade, stage, { ...settlement, minted: outcome.minted });
    } else if (stage === 'confirmed') {
      if (outcome.kind === 'failed' && isCertain(toFault(outcome.code))) {
        this.#open.delete(index);
        await this.#options.commands.fail(trade, toFault(outcome.code), settlement);
      } else {
        await this.#moveTo(trade, 'retrying', settlement);
        this.#return(index, trade);
      }
    }
  }

  #return(index: number, trade: TradeView): void {
    this.#open.delete(index);
    this.#options.onReturned(trade);
  }

  /** By every stage between, so that a move missed in a crash is made up for; a new transaction or block is written anew. */
  async #moveTo(trade: TradeView, stage: MovableStage, settlement: TradeSettlement): Promise<void> {
    const changed = trade.stage === stage && isElsewhere(trade.settlement, settlement);
    const path =
      changed && stage !== 'retrying' ? ['retrying', ...pathTo('retrying', stage)] : pathTo(trade.stage, stage);
    for (const next of path) await this.#options.commands.move(trade, next as MovableStage, settlement);
  }

  #settlementAt(view: OperationView, batchIndex: number): TradeSettlement {
    const { trades } = this.#options.record;
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

interface RawReceipt {
  readonly blockHash: string;
  readonly status: string;
  readonly logs: readonly Log[];
}

type MovableStage = Exclude<TradeStage, 'matched' | 'failed'>;

function isElsewhere(before: TradeSettlement | undefined, now: TradeSettlement): boolean {
  return before?.transactionHash !== now.transactionHash || before.blockHash !== now.blockHash;
}
