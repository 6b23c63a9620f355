// One partition's part of the view in PostgreSQL: applies its records to the rows.
import { toHashText } from '@presage/journal';
import type { DurableBatch } from '../host/partition-log.ts';
import { BulkTransaction } from './bulk-transaction.ts';
import type { CandleEnds } from './candles/candle-model.ts';
import type { FoldPace } from './fold-turns.ts';
import type { MarketSeqs } from './markets/market-model.ts';
import type { ViewTarget, WriteChunk } from './projector.ts';
import { ViewFold } from './view-fold.ts';
import { PLANNING, type ViewStep, type ViewTables } from './view-tables.ts';

export class ViewDatabase implements ViewTarget {
  readonly #tables: ViewTables;
  /** Index of the partition among the sources of the tables. */
  readonly #index: number;
  #marketSeqs: MarketSeqs = new Map();
  /** Empty except while catching up. */
  #candleEnds: CandleEnds = new Map();
  /** The transaction in flight. */
  #writing: ViewFold | undefined;

  constructor(tables: ViewTables, index: number) {
    this.#tables = tables;
    this.#index = index;
  }

  /** Returns the cursor. */
  open(): Promise<number> {
    return this.#tables.turns.run(async () => {
      const cursor = await this.#tables.open(this.#index);
      this.#marketSeqs = new Map();
      this.#candleEnds = new Map();
      this.#writing = undefined;
      return cursor;
    });
  }

  /**
   * While catching up, folds as far as possible beside the previous transaction; otherwise the write does everything.
   */
  async prepare(batches: readonly DurableBatch[], pace: FoldPace): Promise<WriteChunk> {
    const { isCatchingUp } = pace;
    const previous = isCatchingUp ? this.#writing : undefined;
    if (!isCatchingUp) this.#candleEnds = new Map();
    const kept = { marketSeqs: this.#marketSeqs, candleEnds: this.#candleEnds };
    const fold = new ViewFold({ ...kept, partition: this.#partition, batches, pace, previous });
    if (isCatchingUp) {
      await this.#tables.sql.begin('read only', async (sql) => {
        await sql.unsafe(PLANNING, ['off'], { prepare: true });
        await fold.prepare(new BulkTransaction(sql));
      });
    }
    const { lastSeq: to, frame } = batches.at(-1)!;
    const step = { from: batches[0]!.firstSeq - 1, to, head: toHashText(frame) };
    return () => this.#write(fold, step, isCatchingUp);
  }

  /** Writes rows and cursor atomically. While catching up, a crash of the database may lose both. */
  async #write(fold: ViewFold, step: ViewStep, isCatchingUp: boolean): Promise<void> {
    this.#writing = fold;
    const write = { index: this.#index, step, writeRows: (sql: BulkTransaction) => fold.run(sql) };
    await (isCatchingUp ? this.#tables.writeAlone(write) : this.#tables.write(write));
    this.#tables.confirm();
    // The next transaction may already be set.
    if (this.#writing === fold) this.#writing = undefined;
  }

  complete(): Promise<void> {
    return this.#tables.complete(this.#index);
  }

  analyze(): Promise<void> {
    return this.#tables.analyze();
  }

  isAnalyzed(): Promise<boolean> {
    return this.#tables.isAnalyzed();
  }

  get #partition() {
    return { index: this.#index, count: this.#tables.sources.length };
  }
}
