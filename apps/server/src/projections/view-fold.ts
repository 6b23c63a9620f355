// One transaction of the view: folds journal records into the rows of every read model.
import { type JournalRecord, type RecordType, toServiceSeq } from '@presage/protocol';
import type { DurableBatch } from '../host/partition-log.ts';
import { allEnded, type BulkTransaction } from './bulk-transaction.ts';
import { type CandleEnds, CandleModel } from './candles/candle-model.ts';
import { ClaimModel } from './claims/claim-model.ts';
import { FiguresModel } from './figures/figures-model.ts';
import { type FoldPace, FoldTurns } from './fold-turns.ts';
import { WalletVolumeModel } from './leaders/wallet-volume-model.ts';
import { MarketModel, type MarketSeqs } from './markets/market-model.ts';
import { OrderModel } from './orders/order-model.ts';
import { ORDER_SOURCE, type OrderStates } from './orders/order-rows.ts';
import { PositionModel } from './positions/position-model.ts';
import { RowStates } from './row-states.ts';
import { TradeModel } from './trades/trade-model.ts';
import { TRADE_SOURCE, type TradeStates } from './trades/trade-rows.ts';
import type { FoldedPartition, Step, ViewModel } from './view-model.ts';

/** Handlers for a record type, from the models that do not ignore it. */
interface StepsOfType {
  readonly keys: readonly Step<JournalRecord>[];
  readonly apply: readonly Step<JournalRecord>[];
}

export interface ViewFoldOptions {
  readonly marketSeqs: MarketSeqs;
  readonly candleEnds: CandleEnds;
  readonly partition: FoldedPartition;
  readonly batches: readonly DurableBatch[];
  readonly pace: FoldPace;
  /** The previous transaction, if its rows may not be in the database yet. */
  readonly previous?: ViewFold | undefined;
}

export class ViewFold {
  readonly #partition: FoldedPartition;
  readonly #batches: readonly DurableBatch[];
  /** Number of records. */
  readonly #records: number;
  readonly #turns: FoldTurns;
  readonly #states: { readonly trades: TradeStates; readonly orders: OrderStates };
  readonly #marketModel: MarketModel;
  readonly #orderModel: OrderModel;
  readonly #positionModel: PositionModel;
  /** Models in the order in which they apply a record and write: each sees the effects of the earlier ones. */
  readonly #models: readonly ViewModel[];
  readonly #steps = new Map<RecordType, StepsOfType>();
  #isPrepared = false;

  constructor({ marketSeqs, candleEnds, partition, batches, pace, previous }: ViewFoldOptions) {
    this.#partition = partition;
    this.#batches = batches;
    this.#records = batches.reduce((count, { records }) => count + records.length, 0);
    this.#turns = new FoldTurns(pace, this.#records);
    const before = previous === undefined ? undefined : previous.#states;
    const trades = new RowStates(TRADE_SOURCE, before?.trades);
    const orders = new RowStates(ORDER_SOURCE, before?.orders);
    this.#states = { trades, orders };
    const markets = new MarketModel(marketSeqs);
    this.#marketModel = markets;
    this.#orderModel = new OrderModel(markets, orders, trades);
    this.#positionModel = new PositionModel(markets, trades);
    this.#models = [
      markets,
      this.#orderModel,
      new TradeModel(markets, orders, trades),
      new FiguresModel(markets, trades, partition.index),
      new CandleModel(trades, candleEnds),
      new WalletVolumeModel(trades),
      new ClaimModel(markets),
      this.#positionModel,
    ];
  }

  /**
   * Loads the trades and orders that the records touch, and applies the records in order. May run while the previous
   * transaction is still being written: the rows that it touched are copied from it.
   */
  async prepare(sql: BulkTransaction): Promise<void> {
    await this.#marketModel.load(sql, this.#eachRecord(), this.#partition);
    await this.#visitAll('keys');
    // The trades determine which orders to load.
    await this.#states.trades.load(sql);
    await this.#orderModel.load(sql);
    await this.#visitAll('apply');
    this.#isPrepared = true;
  }

  /**
   * Runs inside the transaction. Positions are computed here, because only the database has those of the previous one.
   */
  async run(sql: BulkTransaction): Promise<void> {
    if (!this.#isPrepared) await this.prepare(sql);
    await this.#positionModel.load(sql);
    await this.#positionModel.applyPending(this.#turns);
    await this.#write(sql);
  }

  /**
   * Sends each model's statements before preparing those of the next, so that the database and this process work in
   * parallel.
   */
  async #write(sql: BulkTransaction): Promise<void> {
    const share = Math.ceil(this.#records / this.#models.length);
    const writing: Promise<unknown>[] = [];
    for (const model of this.#models) {
      const written = model.write(sql);
      // Awaited below; until then a failure must not count as unhandled.
      written.catch(() => undefined);
      writing.push(written);
      if (this.#turns.isDueAfter(share)) await this.#turns.next();
    }
    await allEnded(writing);
  }

  async #visitAll(step: 'keys' | 'apply'): Promise<void> {
    for (const batch of this.#batches) {
      this.#visit(batch, step);
      if (this.#turns.isDueAfter(batch.records.length)) await this.#turns.next();
    }
  }

  *#eachRecord(): Generator<JournalRecord> {
    for (const { records } of this.#batches) yield* records;
  }

  #visit({ firstSeq, records }: DurableBatch, step: 'keys' | 'apply'): void {
    const { index: partition, count } = this.#partition;
    let seq = toServiceSeq({ partition, seq: firstSeq }, count);
    for (const record of records) {
      for (const handle of this.#stepsOf(record.type)[step]) handle(record, seq);
      seq += count;
    }
  }

  #stepsOf(type: RecordType): StepsOfType {
    const known = this.#steps.get(type);
    if (known !== undefined) return known;
    const handlings = this.#models.map((model) => model.handlingOf(type));
    const steps = {
      keys: handlings.flatMap(({ keys }) => keys ?? []),
      apply: handlings.flatMap(({ apply }) => apply ?? []),
    };
    this.#steps.set(type, steps);
    return steps;
  }
}
