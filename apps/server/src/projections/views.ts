// The view as the service reads it: caught up with every answered write, or a refusal.
import { LIMITS, PresageError } from '@presage/protocol';
import type { Sql } from '../store/column-types.ts';
import * as candles from './candles/candle-queries.ts';
import * as claims from './claims/claim-queries.ts';
import * as exported from './exports/export-queries.ts';
import * as chainFigures from './figures/chain-figures-queries.ts';
import * as figures from './figures/figures-queries.ts';
import * as revenue from './figures/revenue-queries.ts';
import * as solvency from './figures/solvency-queries.ts';
import * as sparklines from './figures/sparkline-queries.ts';
import * as leaders from './leaders/leader-queries.ts';
import * as markets from './markets/market-queries.ts';
import * as orderLife from './orders/order-life-queries.ts';
import * as orders from './orders/order-queries.ts';
import * as holders from './positions/holder-queries.ts';
import * as positions from './positions/position-queries.ts';
import { toReadError } from './read-error.ts';
import * as settlements from './trades/settlement-queries.ts';
import * as trades from './trades/trade-queries.ts';
import * as conversions from './users/conversion-queries.ts';
import * as holdings from './users/holding-queries.ts';
import * as pnl from './users/pnl-queries.ts';
import * as users from './users/user-queries.ts';
import type { ViewProjector } from './view-projector.ts';

/** Every function exported by a `*-queries.ts` is a query; a new one needs no other registration. */
export const QUERIES = {
  ...candles,
  ...claims,
  ...exported,
  ...figures,
  ...chainFigures,
  ...revenue,
  ...solvency,
  ...sparklines,
  ...leaders,
  ...markets,
  ...orderLife,
  ...orders,
  ...holders,
  ...positions,
  ...settlements,
  ...trades,
  ...conversions,
  ...holdings,
  ...pnl,
  ...users,
};

/** A query without its connection: `listTrades(sql, marketId, limit)` becomes `views.listTrades(marketId, limit)`. */
type Read<Query> = Query extends (sql: Sql, ...terms: infer Terms) => infer Rows ? (...terms: Terms) => Rows : never;

export type Views = { readonly [Name in keyof typeof QUERIES]: Read<(typeof QUERIES)[Name]> };

export interface ViewsOptions {
  readonly sql: Sql;
  readonly progress: Pick<ViewProjector, 'isUp' | 'waitFor'>;
  /** One sequence per partition: everything answered so far is at or below it. */
  readonly answeredSeqs: () => readonly number[];
}

export function createViews({ sql, progress, answeredSeqs }: ViewsOptions): Views {
  const read = async (query: (sql: Sql, ...terms: never[]) => Promise<unknown>, terms: never[]) => {
    if (!(await progress.waitFor(answeredSeqs(), LIMITS.readYourWritesMs))) {
      throw new PresageError(progress.isUp ? 'view_behind' : 'database_unavailable');
    }
    try {
      return await query(sql, ...terms);
    } catch (error) {
      throw toReadError(error);
    }
  };
  // Binds each query to the connection; the types of its parameters are unchanged.
  const bound = Object.entries<(sql: Sql, ...terms: never[]) => Promise<unknown>>(QUERIES).map(([name, query]) => [
    name,
    (...terms: never[]) => read(query, terms),
  ]);
  return Object.fromEntries(bound) as Views;
}
