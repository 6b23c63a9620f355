// Markets, books, trades and statistics.
import type { CallOptions, Http, Query } from '../http.ts';
import { type OutcomeName, toBytes32 } from '../inputs.ts';
import type {
  CandleInterval,
  Candles,
  CategoryList,
  FailedTrades,
  Holders,
  Market,
  MarketActivity,
  MarketList,
  MarketStatistics,
  MarketStatus,
  OrderbookSnapshot,
  PendingTrades,
  PlatformStatistics,
  ResolutionStatus,
  Settlement,
  TradeHistory,
} from '../types.ts';

export interface MarketsQuery {
  readonly chain_id?: number;
  readonly status?: MarketStatus;
  readonly category?: Market['category'];
  readonly kind?: Market['kind'];
  /** Text to find in the question. */
  readonly search?: string;
  /** `sparkline`: also the way of the price over seven days. */
  readonly include?: 'sparkline';
  readonly limit?: number;
  /** The `nextCursor` of the page before. */
  readonly cursor?: string;
}

export interface CandlesQuery {
  readonly outcome?: OutcomeName;
  /** `1h` by default. */
  readonly interval?: CandleInterval;
  /** `both`: trades of the other outcome count too, at 1 - price. */
  readonly fold?: 'none' | 'both';
  readonly limit?: number;
  /** The `nextCursor` of the page before: older candles. */
  readonly cursor?: string;
}

export function marketReads(http: Http) {
  const ofMarket = <T>(path: string, marketId: string, options?: CallOptions, query?: Query): Promise<T> =>
    http.get(`/api/v1/${path}/${toBytes32('marketId', marketId)}`, query, options);

  return {
    /** Markets; without a limit all open ones and the newest closed ones. */
    listMarkets: (query: MarketsQuery = {}, options?: CallOptions): Promise<MarketList> =>
      http.get('/api/v1/markets', query, options),

    /** The categories that the operator has defined. */
    listCategories: (options?: CallOptions): Promise<CategoryList> => http.get('/api/v1/categories', {}, options),

    /** One market by its id. */
    getMarket: (marketId: string, options?: CallOptions): Promise<Market> => ofMarket('markets', marketId, options),

    /** The book of one outcome, or without an outcome the levels of both. */
    getOrderbook: (
      marketId: string,
      query: { readonly outcome?: OutcomeName } = {},
      options?: CallOptions,
    ): Promise<OrderbookSnapshot> => ofMarket('orderbook', marketId, options, query),

    /** The newest trades of a market, newest first. */
    listTrades: (marketId: string, options?: CallOptions): Promise<TradeHistory> =>
      ofMarket('trades', marketId, options),

    /** Volume and last price of a market. */
    getMarketStatistics: (marketId: string, options?: CallOptions): Promise<MarketStatistics> =>
      ofMarket('stats', marketId, options),

    /** The largest holders of a market. */
    getHolders: (marketId: string, options?: CallOptions): Promise<Holders> => ofMarket('holders', marketId, options),

    /** The 50 newest trades of a market. */
    getMarketActivity: (marketId: string, options?: CallOptions): Promise<MarketActivity> =>
      ofMarket('activity', marketId, options),

    /** The resolution status of a market. */
    getResolution: (marketId: string, options?: CallOptions): Promise<ResolutionStatus> =>
      ofMarket('resolution', marketId, options),

    /** Open, high, low, close and volume over time, oldest first. */
    getCandles: (marketId: string, query: CandlesQuery = {}, options?: CallOptions): Promise<Candles> =>
      ofMarket('candles', marketId, options, query),

    /** Volume, trades and open interest, per chain and in total. */
    getPlatformStatistics: (
      query: { readonly chain_id?: number } = {},
      options?: CallOptions,
    ): Promise<PlatformStatistics> => http.get('/api/v1/platform/stats', query, options),

    /** Trades awaiting settlement. */
    listPendingTrades: (options?: CallOptions): Promise<PendingTrades> =>
      http.get('/api/v1/pending-trades', {}, options),

    /** Trades that failed in the last 24 hours, each with its reason and the party at fault. */
    listFailedTrades: (options?: CallOptions): Promise<FailedTrades> => http.get('/api/v1/failed-trades', {}, options),

    /** The settlement of a transaction; for a replaced transaction, that of its replacement. */
    getSettlement: (txHash: string, options?: CallOptions): Promise<Settlement> =>
      http.get(`/api/v1/settlements/${encodeURIComponent(txHash)}`, {}, options),
  };
}
