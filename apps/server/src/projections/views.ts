// The view as the rest of the service reads it: caught up with every answered write, or an honest refusal.
import {
  type Address,
  type BestPrices,
  LIMITS,
  type MarketId,
  type OrderHash,
  PresageError,
  type TransactionHash,
} from '@presage/protocol';
import type { Sql } from '../store/column-types.ts';
import { type CandleQuery, type CandleRow, listCandles } from './candles/candle-queries.ts';
import {
  type ClaimRow,
  type FailedClaimRow,
  listFailedClaims,
  listPendingClaims,
  listUserPayouts,
  type UserPayoutRow,
  type UserPayoutsQuery,
} from './claims/claim-queries.ts';
import { listMarketFigures, type MarketFigures } from './figures/figures-queries.ts';
import { listOpenInterest } from './figures/open-interest.ts';
import { listSparklines } from './figures/sparkline-queries.ts';
import { findMarket, type MarketRow } from './markets/market-queries.ts';
import { listOrderLife, type OrderLifeEntry } from './orders/order-life.ts';
import { findOrder, listRecentOrders, type OrderRow, type RecentOrdersQuery } from './orders/order-queries.ts';
import { type Holders, listHolders } from './positions/holder-queries.ts';
import { findPosition, listPositions, type PositionRow, type UserPositionRow } from './positions/position-queries.ts';
import { listSettlementFills, type SettlementFillRow } from './trades/settlement-queries.ts';
import {
  type FailedTradeRow,
  listFailedTrades,
  listPendingTrades,
  listTrades,
  type TradeRow,
} from './trades/trade-queries.ts';
import { listHoldings } from './users/holding-queries.ts';
import { listPnlPoints, type PnlPoint, type PnlQuery } from './users/pnl-history.ts';
import { sumStanding, type UserStanding, type ValuedHolding, valueHolding } from './users/standing.ts';
import { listUserTrades, type UserTradeRow, type UserTradesQuery } from './users/user-queries.ts';

interface ViewProgress {
  readonly isUp: boolean;
  waitFor(seq: number, timeoutMs: number): Promise<boolean>;
}

export interface ViewsOptions {
  readonly sql: Sql;
  readonly progress: ViewProgress;
  /** Everything answered so far lies at or below it. */
  readonly answeredSeq: () => number;
  readonly nowMs: () => number;
}

interface HoldingsQuery {
  readonly wallet: Address;
  /** All chains when undefined. */
  readonly chainId: number | undefined;
  readonly bestOf: (marketId: MarketId) => BestPrices;
}

export class Views {
  readonly #options: ViewsOptions;

  constructor(options: ViewsOptions) {
    this.#options = options;
  }

  order(hash: OrderHash): Promise<OrderRow | undefined> {
    return this.#read((sql) => findOrder(sql, hash));
  }

  /** Placed in the last day, newest first. */
  recentOrders(query: RecentOrdersQuery): Promise<OrderRow[]> {
    return this.#read((sql) => listRecentOrders(sql, query, this.#options.nowMs()));
  }

  orderLife(hash: OrderHash): Promise<OrderLifeEntry[] | undefined> {
    return this.#read((sql) => listOrderLife(sql, hash));
  }

  market(idOrAddress: MarketId | Address): Promise<MarketRow | undefined> {
    return this.#read((sql) => findMarket(sql, idOrAddress));
  }

  figures(marketIds: readonly MarketId[]): Promise<Map<MarketId, MarketFigures>> {
    return this.#read((sql) => listMarketFigures(sql, marketIds, this.#options.nowMs()));
  }

  sparklines(marketIds: readonly MarketId[]): Promise<Map<MarketId, number[]>> {
    return this.#read((sql) => listSparklines(sql, marketIds, this.#options.nowMs()));
  }

  /** Newest first. */
  trades(marketId: MarketId, limit: number): Promise<TradeRow[]> {
    return this.#read((sql) => listTrades(sql, marketId, limit));
  }

  pendingTrades(limit: number): Promise<TradeRow[]> {
    return this.#read((sql) => listPendingTrades(sql, limit));
  }

  failedTrades(limit: number): Promise<FailedTradeRow[]> {
    return this.#read((sql) => listFailedTrades(sql, this.#options.nowMs(), limit));
  }

  pendingClaims(limit: number): Promise<ClaimRow[]> {
    return this.#read((sql) => listPendingClaims(sql, limit));
  }

  failedClaims(limit: number): Promise<FailedClaimRow[]> {
    return this.#read((sql) => listFailedClaims(sql, limit));
  }

  settlement(txHash: TransactionHash): Promise<SettlementFillRow[]> {
    return this.#read((sql) => listSettlementFills(sql, txHash));
  }

  position(wallet: Address, marketId: MarketId): Promise<PositionRow | undefined> {
    return this.#read((sql) => findPosition(sql, wallet, marketId));
  }

  positions(wallet: Address, chainId: number): Promise<UserPositionRow[]> {
    return this.#read((sql) => listPositions(sql, wallet, chainId));
  }

  holders(marketId: MarketId, limit: number): Promise<Holders> {
    return this.#read((sql) => listHolders(sql, marketId, limit));
  }

  candles(query: CandleQuery): Promise<CandleRow[]> {
    return this.#read((sql) => listCandles(sql, query));
  }

  openInterest(): Promise<Map<number, bigint>> {
    return this.#read(listOpenInterest);
  }

  userTrades(query: UserTradesQuery): Promise<UserTradeRow[]> {
    return this.#read((sql) => listUserTrades(sql, query));
  }

  userPayouts(query: UserPayoutsQuery): Promise<UserPayoutRow[]> {
    return this.#read((sql) => listUserPayouts(sql, query));
  }

  /** At what they are worth; the books are not the view's, so their best prices are passed in. */
  async holdings({ wallet, chainId, bestOf }: HoldingsQuery): Promise<ValuedHolding[]> {
    const rows = await this.#read((sql) => listHoldings(sql, wallet, chainId));
    return rows.map((row) => valueHolding(row, bestOf(row.marketId)));
  }

  standing(holdings: readonly ValuedHolding[]): UserStanding {
    return sumStanding(holdings);
  }

  pnlPoints(query: PnlQuery): Promise<PnlPoint[]> {
    return this.#read((sql) => listPnlPoints(sql, query));
  }

  async #read<T>(query: (sql: Sql) => Promise<T>): Promise<T> {
    const { sql, progress, answeredSeq } = this.#options;
    if (!(await progress.waitFor(answeredSeq(), LIMITS.readYourWritesMs))) {
      throw new PresageError(progress.isUp ? 'view_behind' : 'database_unavailable');
    }
    try {
      return await query(sql);
    } catch (error) {
      if (isConnectionFault(error)) throw new PresageError('database_unavailable');
      throw error;
    }
  }
}

/** The client's own codes for a lost connection, and PostgreSQL's class 57 (shutting down) and 08 (connection). */
function isConnectionFault(error: unknown): boolean {
  const code = (error as { code?: unknown }).code;
  return typeof code === 'string' && /^(CONNECT|ECONN|EPIPE|57P|08)/.test(code);
}
