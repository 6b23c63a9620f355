// Follows the fills of trades that failed or went on to a later batch: a reorganization deeper than `confirmations` may settle them after all.
import type { OperationView, WatchedSenderPort } from '@presage/chain';
import type { ChainContext } from '../chains/chain-context.ts';
import type { ChainLog } from '../chains/chain-log.ts';
import type { BatchFollower, LeftFill } from './batch-follower.ts';
import type { BatchesInFlight } from './batches-in-flight.ts';
import type { WaitingTrades } from './waiting-trades.ts';

export interface LeftFillsOptions {
  readonly inFlight: BatchesInFlight;
  readonly waiting: WaitingTrades;
  readonly sender: Pick<WatchedSenderPort, 'status'>;
  readonly journal: Pick<ChainLog, 'batches' | 'confirm'>;
  /** Called when a failed trade is on chain, or a trade is there twice: an operator must investigate. */
  readonly onRevived: () => void;
}

export class LeftFills {
  readonly #context: ChainContext;
  readonly #options: LeftFillsOptions;
  /** Fills that settled a trade that another batch had settled already. */
  readonly #doubled = new Set<string>();

  constructor(context: ChainContext, options: LeftFillsOptions) {
    this.#context = context;
    this.#options = options;
  }

  /** Gives returned trades back to a batch that lost its block and will be mined again: sent in another batch, they could settle twice. */
  reclaim(batch: BatchFollower, { stage }: OperationView): void {
    if (stage !== 'submitted' && stage !== 'retrying') return;
    for (const { tradeId } of batch.record.trades) {
      if (!this.#options.waiting.has(tradeId)) continue;
      this.#options.waiting.take(tradeId);
      batch.reopen(tradeId);
    }
  }

  /** Returns the batches that answer for a trade again and must be followed again. */
  async review(): Promise<BatchFollower[]> {
    const reopened = new Set<BatchFollower>();
    for (const batch of this.#options.inFlight.all()) {
      const view = this.#options.sender.status(batch.record.batchId);
      if (view === undefined) continue;
      for (const fill of await batch.leftFills(view)) {
        if (batch.hasFailed(fill) && !this.#isAlive(fill)) await this.#noteFailed(batch, fill, view);
        else if (fill.settlement !== undefined && this.#isAlive(fill) && this.#takeOver(batch, fill))
          reopened.add(batch);
      }
    }
    return [...reopened];
  }

  /** Call this before trades fail that a batch may have carried. */
  async noteFailing(tradeIds: readonly string[]): Promise<void> {
    const failing = new Set(tradeIds);
    for (const batch of this.#options.inFlight.all()) await batch.noteFailing(failing);
  }

  /** Whether the engine still has the trade and it has not failed. It forgets failed trades, and trades confirmed long ago. */
  #isAlive({ marketId, tradeId }: LeftFill): boolean {
    const trade = this.#context.reads.trade(marketId, tradeId);
    return trade !== undefined && trade.stage !== 'failed';
  }

  /** Writes the record before the note in the batch: a settler that is killed in between writes it again, and readers treat both as one. */
  async #noteFailed(batch: BatchFollower, fill: LeftFill, view: OperationView): Promise<void> {
    if (batch.isKnownAs(fill)) return;
    const { note, clock, log } = this.#context;
    const { marketId, tradeId, index, settlement } = fill;
    await this.#options.journal.confirm();
    const stage = settlement === undefined ? 'failed' : 'confirmed';
    const place = settlement ?? batch.carrierOf(view, index);
    await note({ type: 'trade-revived', timeMs: clock.nowMs(), marketId, tradeId, stage, settlement: place });
    batch.setRevived(fill);
    await this.#options.journal.batches.append(batch.record);
    if (stage === 'failed') log.warn({ tradeId }, 'revived trade left the chain again');
    else
      log.error(
        { tradeId, transactionHash: place.transactionHash },
        'failed trade was settled by a deep reorganization',
      );
    this.#options.onRevived();
  }

  /** Gives the trade back to a batch that settled it after returning it, before the batch that carries it now. */
  #takeOver(batch: BatchFollower, { tradeId }: LeftFill): boolean {
    const { inFlight, waiting, onRevived } = this.#options;
    const owner = inFlight.all().find((each) => each.answersFor(tradeId));
    if (owner?.hasSettled(tradeId)) {
      const key = `${batch.record.batchId} ${tradeId}`;
      if (this.#doubled.has(key)) return false;
      this.#doubled.add(key);
      this.#context.log.error(
        { tradeId, batches: [batch.record.batchId, owner.record.batchId] },
        'trade was settled twice',
      );
      onRevived();
      return false;
    }
    owner?.release(tradeId);
    waiting.take(tradeId);
    batch.reopen(tradeId);
    return true;
  }
}
