// Markets, books, trades and statistics, as the documentation tells them.
import {
  CANDLE_INTERVALS,
  CATEGORIES,
  Candles,
  FailedTrades,
  Holders,
  LIMITS,
  MARKET_KINDS,
  MARKET_STATUSES,
  Market,
  MarketActivity,
  MarketList,
  MarketStatistics,
  OrderbookSnapshot,
  PendingTrades,
  PlatformStatistics,
  SettlementFound,
  SettlementNotFound,
  TradeHistory,
} from '@presage/protocol';
import Type from 'typebox';
import type { Operation } from './operation.ts';
import { CHAIN_ID, CURSOR, limitUpTo, MARKET_ID, OUTCOME } from './parameters.ts';

const markets = { method: 'get', tag: 'Markets' } as const;
const trades = { method: 'get', tag: 'Trades' } as const;
const oneMarket = { params: { marketId: MARKET_ID }, errors: ['market_not_found'] } as const;

export const MARKET_OPERATIONS: readonly Operation[] = [
  {
    ...markets,
    path: '/api/v1/markets',
    id: 'listMarkets',
    summary: 'Markets, newest first',
    description: `Without \`limit\` and \`cursor\`: all open ones and the ${LIMITS.closedMarketsListed} newest closed ones. Answers carry an ETag.`,
    query: {
      chain_id: CHAIN_ID,
      status: { schema: Type.Enum([...MARKET_STATUSES]), description: 'Only in this state' },
      category: { schema: Type.Enum([...CATEGORIES]), description: 'Only of this category' },
      kind: { schema: Type.Enum([...MARKET_KINDS]), description: 'Only of this kind' },
      search: { schema: Type.String(), description: 'Words of the question or description' },
      limit: limitUpTo(LIMITS.marketsPageMax, LIMITS.marketsPageDefault),
      cursor: CURSOR,
    },
    answer: MarketList,
  },
  {
    ...markets,
    path: '/api/v1/markets/:id',
    id: 'getMarket',
    summary: 'One market',
    params: { id: MARKET_ID },
    answer: Market,
    errors: ['market_not_found'],
  },
  {
    ...markets,
    path: '/api/v1/orderbook/:marketId',
    id: 'getOrderbook',
    summary: 'The book of one outcome, or of both',
    description:
      'Without `outcome`, the levels of both books, each with its outcome. Unknown markets have an empty book.',
    params: { marketId: MARKET_ID },
    query: { outcome: OUTCOME },
    answer: OrderbookSnapshot,
  },
  {
    ...markets,
    ...oneMarket,
    path: '/api/v1/stats/:marketId',
    id: 'getMarketStatistics',
    summary: 'Volume and last price of a market',
    answer: MarketStatistics,
  },
  {
    ...markets,
    ...oneMarket,
    path: '/api/v1/holders/:marketId',
    id: 'getHolders',
    summary: `The ${LIMITS.topHolders} largest holders of a market`,
    answer: Holders,
  },
  {
    ...markets,
    ...oneMarket,
    path: '/api/v1/activity/:marketId',
    id: 'getMarketActivity',
    summary: `The ${LIMITS.marketActivity} most recent trades of a market`,
    answer: MarketActivity,
  },
  {
    ...markets,
    ...oneMarket,
    path: '/api/v1/candles/:marketId',
    id: 'getCandles',
    summary: 'Prices over time',
    query: {
      outcome: OUTCOME,
      interval: { schema: Type.Enum([...CANDLE_INTERVALS]), description: 'Length of a candle; 1h when absent' },
      limit: limitUpTo(LIMITS.candlesMax, LIMITS.candlesDefault),
      cursor: { ...CURSOR, schema: Type.String({ pattern: '^[0-9]{1,12}$' }) },
    },
    answer: Candles,
  },
  {
    ...markets,
    path: '/api/v1/platform/stats',
    id: 'getPlatformStatistics',
    summary: 'Statistics of the whole platform',
    query: { chain_id: CHAIN_ID },
    answer: PlatformStatistics,
  },
  {
    ...trades,
    ...oneMarket,
    path: '/api/v1/trades/:marketId',
    id: 'listTrades',
    summary: `The ${LIMITS.tradeHistory} most recent trades of a market, newest first`,
    answer: TradeHistory,
  },
  {
    ...trades,
    path: '/api/v1/pending-trades',
    id: 'listPendingTrades',
    summary: 'Trades that wait for the chain',
    answer: PendingTrades,
  },
  {
    ...trades,
    path: '/api/v1/failed-trades',
    id: 'listFailedTrades',
    summary: 'Trades that failed to settle in the last 24 hours',
    answer: FailedTrades,
  },
  {
    ...trades,
    path: '/api/v1/settlements/:txHash',
    id: 'getSettlement',
    summary: 'What a settlement transaction did',
    params: { txHash: { schema: Type.String(), description: 'Any string; an unknown one answers found: false' } },
    answer: Type.Union([SettlementFound, SettlementNotFound]),
  },
];
