// One transaction of the view: records of the journal in, rows of every read model out.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { toServiceSeq } from '@presage/protocol';
import type { DurableBatch } from '../host/partition-log.ts';
import type { TransactionSql } from '../store/column-types.ts';
import { CandleModel } from './candles/candle-model.ts';
import { ClaimModel } from './claims/claim-model.ts';
import { FiguresModel } from './figures/figures-model.ts';
import { MarketModel, type MarketSeqs } from './markets/market-model.ts';
import { OrderModel } from './orders/order-model.ts';
import { OrderStates } from './orders/order-states.ts';
import { PositionModel } from './positions/position-model.ts';
import { TradeModel } from './trades/trade-model.ts';
import { TradeStates } from './trades/trade-states.ts';
import type { ViewModel } from './view-model.ts';

/** Which of how many partitions the records are of. */
export interface FoldedPartition {
  readonly index: number;
  readonly count: number;
}

const ONLY_PARTITION: FoldedPartition = { index: 0, count: 1 };

export class ViewFold {
  readonly #partition: FoldedPartition;
  readonly #trades = new TradeStates();
  readonly #orderModel: OrderModel;
  readonly #positionModel: PositionModel;
  /** In the order they take each record in and write: a model finds what those before it have made of the record. */
  readonly #models: readonly ViewModel[];

  constructor(marketSeqs: MarketSeqs, partition: FoldedPartition = ONLY_PARTITION) {
    this.#partition = partition;
    const trades = this.#trades;
    const orders = new OrderStates();
    const markets = new MarketModel(marketSeqs);
    this.#orderModel = new OrderModel({ markets, orders, trades });
    this.#positionModel = new PositionModel({ markets, trades });
    this.#models = [
      markets,
      this.#orderModel,
      new TradeModel({ markets, orders, trades }),
      new FiguresModel({ markets, trades, partition: partition.index }),
      new CandleModel(trades),
      new ClaimModel(markets),
      this.#positionModel,
    ];
  }

  /** Loads what the records touch, applies them in order, writes what came of it. */
  async run(sql: TransactionSql, batches: readonly DurableBatch[]): Promise<void> {
    for (const batch of batches) this.#visit(batch, 'keys');
    await this.#load(sql);
    for (const batch of batches) this.#visit(batch, 'apply');
    await this.#write(sql);
  }

  /** Trades first: which orders and share events matter is known from them. */
  async #load(sql: TransactionSql): Promise<void> {
    await this.#trades.load(sql);
    await Promise.all([this.#orderModel.load(sql), this.#positionModel.load(sql)]);
  }

  /** Each model's statements go to the database before the next one's are put together: both work at once. */
  async #write(sql: TransactionSql): Promise<void> {
    const writing: Promise<unknown>[] = [];
    for (const model of this.#models) {
      const written = model.write(sql);
      // Awaited below; until then a failure must not count as one that nobody looks at.
      written.catch(() => undefined);
      writing.push(written);
      await nextTurn();
    }
    await Promise.all(writing);
  }

  #visit({ firstSeq, records }: DurableBatch, step: 'keys' | 'apply'): void {
    const { index: partition, count } = this.#partition;
    let seq = toServiceSeq({ partition, seq: firstSeq }, count);
    for (const record of records) {
      for (const model of this.#models) model[step](record, seq);
      seq += count;
    }
  }
}
