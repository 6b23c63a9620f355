// Reads of markets, books, trades and statistics.
import type { CallOptions, Http, Query } from '../http.ts';
import {
  type AmountInput,
  type OutcomeName,
  type PriceInput,
  parsePrice,
  parseSize,
  type SideName,
  toBytes32,
  toSide,
} from '../inputs.ts';
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
import { type Quote, quoteBook } from './quote.ts';

export interface MarketsQuery {
  readonly chain_id?: number;
  readonly status?: MarketStatus;
  readonly category?: Market['category'];
  readonly kind?: Market['kind'];
  /** Text to find in the question. */
  readonly search?: string;
  /** `sparkline`: adds the price over seven days. */
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

export interface QuoteParams {
  readonly side: SideName;
  /** YES by default, as in an order. */
  readonly outcome?: OutcomeName;
  readonly size: AmountInput;
  /** The worst price to count; without one, as deep as the book goes. */
  readonly price?: PriceInput;
}

type MarketRead<A> = (marketId: string, options?: CallOptions) => Promise<A>;

export function marketReads(http: Http) {
  const get = <T>(path: string, marketId: string, query?: Query, options?: CallOptions): Promise<T> =>
    http.get(`/api/v1/${path}/${toBytes32('marketId', marketId)}`, query, options);
  const ofMarket =
    <A>(path: string): MarketRead<A> =>
    (marketId, options) =>
      get(path, marketId, {}, options);

  return {
    /** Markets; without a limit all open ones and the newest closed ones. */
    listMarkets: async (query: MarketsQuery = {}, options?: CallOptions): Promise<MarketList> => {
      const list = await http.get<MarketList>('/api/v1/markets', query, options);
      for (const { id, chainId } of list.markets) http.chainIds.set(id, chainId);
      return list;
    },
    /** The categories that the operator has defined. */
    listCategories: http.reader<CategoryList>('/api/v1/categories'),
    /** One market by its id. */
    getMarket: ofMarket<Market>('markets'),
    /** The book of one outcome; without an outcome, the levels of both. */
    getOrderbook: (
      marketId: string,
      query: { readonly outcome?: OutcomeName } = {},
      options?: CallOptions,
    ): Promise<OrderbookSnapshot> => get('orderbook', marketId, query, options),
    /** The cost of an order now: cost, fee, average and worst price, from the current book. */
    quote: async (marketId: string, params: QuoteParams, options?: CallOptions): Promise<Quote> => {
      const { side, outcome = 'YES', size, price } = params;
      const terms = { side: toSide(side), size: parseSize(size), ...(price && { limit: parsePrice(price) }) };
      const [market, book] = await Promise.all([
        get<Market>('markets', marketId, {}, options),
        get<OrderbookSnapshot>('orderbook', marketId, { outcome }, options),
      ]);
      return quoteBook(book, market.feeRateBps, terms);
    },
    /** The newest trades of a market, newest first. */
    listTrades: ofMarket<TradeHistory>('trades'),
    /** Volume and last price of a market. */
    getMarketStatistics: ofMarket<MarketStatistics>('stats'),
    /** The largest holders of a market. */
    getHolders: ofMarket<Holders>('holders'),
    /** The 50 newest trades of a market. */
    getMarketActivity: ofMarket<MarketActivity>('activity'),
    /** The resolution status of a market. */
    getResolution: ofMarket<ResolutionStatus>('resolution'),
    /** Open, high, low, close and volume over time, oldest first. */
    getCandles: (marketId: string, query: CandlesQuery = {}, options?: CallOptions): Promise<Candles> =>
      get('candles', marketId, query, options),
    /** Volume, trades and open interest, per chain and in total. */
    getPlatformStatistics: (
      query: { readonly chain_id?: number } = {},
      options?: CallOptions,
    ): Promise<PlatformStatistics> => http.get('/api/v1/platform/stats', query, options),
    /** Trades awaiting settlement. */
    listPendingTrades: http.reader<PendingTrades>('/api/v1/pending-trades'),
    /** Trades that failed in the last 24 hours, each with its reason and the party at fault. */
    listFailedTrades: http.reader<FailedTrades>('/api/v1/failed-trades'),
    /** The settlement of a transaction; for a replaced transaction, that of its replacement. */
    getSettlement: (txHash: string, options?: CallOptions): Promise<Settlement> =>
      http.get(`/api/v1/settlements/${encodeURIComponent(txHash)}`, {}, options),
  };
}
