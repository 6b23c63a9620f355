// One partition's part of the view in PostgreSQL: moves the rows that are made of its records forward.

import type { DurableBatch } from '../host/partition-log.ts';
import { loadMarketSeqs, type MarketSeqs } from './markets/market-model.ts';
import type { ViewTarget } from './projector.ts';
import { ViewFold } from './view-fold.ts';
import type { ViewTables } from './view-tables.ts';

/**
 * Plans are made anew for each transaction and always walk indexes: a plan kept from when a table was empty, or one that
 * reads a whole table for a few thousand keys, would make a rebuild quadratic.
 */
const PLANNING = `select set_config('plan_cache_mode', 'force_custom_plan', true),
  set_config('enable_seqscan', 'off', true), set_config('enable_hashjoin', 'off', true),
  set_config('enable_mergejoin', 'off', true), set_config('synchronous_commit', $1, true)`;

export class ViewDatabase implements ViewTarget {
  readonly #tables: ViewTables;
  /** Of the partition among the sources of the tables. */
  readonly #index: number;
  #marketSeqs: MarketSeqs = new Map();

  constructor(tables: ViewTables, index: number) {
    this.#tables = tables;
    this.#index = index;
  }

  /** Answers the cursor. */
  open(): Promise<number> {
    const { turns, sql } = this.#tables;
    return turns.run(async () => {
      const cursor = await this.#tables.open(this.#index);
      this.#marketSeqs = await loadMarketSeqs(sql, this.#partition);
      return cursor;
    });
  }

  /** Rows and cursor together or not at all. A hasty one may be lost with a crash of the database, cursor and all. */
  apply(batches: readonly DurableBatch[], isHasty: boolean): Promise<void> {
    const span = { from: batches[0]!.firstSeq - 1, to: batches.at(-1)!.lastSeq };
    const { turns, sql: database } = this.#tables;
    const run = () =>
      database.begin(async (sql) => {
        const planned = sql.unsafe(PLANNING, [isHasty ? 'off' : 'on'], { prepare: true });
        await Promise.all([planned, this.#tables.advance(sql, this.#index, span)]);
        await new ViewFold(this.#marketSeqs, this.#partition).run(sql, batches);
      });
    return turns.run(async () => void (await run()));
  }

  analyze(): Promise<void> {
    return this.#tables.analyze();
  }

  get #partition() {
    return { index: this.#index, count: this.#tables.sources.length };
  }
}
