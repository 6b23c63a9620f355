// Endpoints for statistics of markets (candles, figures, holders, activity) and of the platform.

import { CANDLE_INTERVALS, CANDLE_SECONDS, LIMITS, YES } from '@presage/protocol';
import * as wire from '@presage/protocol/wire';
import Type from 'typebox';
import { type Endpoint, endpoint } from '../endpoint.ts';
import { marketOf } from '../mappers/market.ts';
import { toHolders, toMarketStatistics, toPlatformStatistics } from '../mappers/statistics.ts';
import { toTrade } from '../mappers/trade.ts';
import { CHAIN_ID, choiceOf, cursorOf, listLimit, MARKET_ID, OUTCOME, optional, withDefault } from '../parameters.ts';
import type { ApiServices } from '../services.ts';

const { topHolders, topHoldersMax, marketActivity, marketActivityMax } = LIMITS;
const markets = { method: 'get', tag: 'Markets' } as const;
const oneMarket = { ...markets, params: { marketId: MARKET_ID }, errors: ['market_not_found'] } as const;

type Services = Pick<ApiServices, 'reads' | 'views' | 'clock'>;

export function statisticsEndpoints({ reads, views, clock }: Services): Endpoint[] {
  return [
    endpoint({
      ...oneMarket,
      path: '/api/v1/stats/:marketId',
      id: 'getMarketStatistics',
      summary: 'Volume and last price of a market',
      answer: wire.MarketStatistics,
      handle: async ({ params: { marketId } }) => {
        const { facts } = marketOf(reads, marketId);
        return toMarketStatistics(facts, (await views.listMarketFigures(clock.nowMs(), [marketId])).get(marketId));
      },
    }),
    endpoint({
      ...oneMarket,
      path: '/api/v1/holders/:marketId',
      id: 'getHolders',
      summary: 'The largest holders of a market',
      query: { limit: listLimit(topHoldersMax, topHolders) },
      answer: wire.Holders,
      handle: async ({ params, query: { limit } }) =>
        toHolders(await views.listHolders(marketOf(reads, params.marketId).facts.marketId, limit)),
    }),
    endpoint({
      ...oneMarket,
      path: '/api/v1/activity/:marketId',
      id: 'getMarketActivity',
      summary: 'The most recent trades of a market',
      query: { limit: listLimit(marketActivityMax, marketActivity) },
      answer: wire.MarketActivity,
      handle: async ({ params, query: { limit } }) => {
        const { marketId } = marketOf(reads, params.marketId).facts;
        const activity = (await views.listTrades(marketId, limit)).map(toTrade);
        return { marketId, activity, count: activity.length };
      },
    }),
    endpoint({
      ...markets,
      path: '/api/v1/platform/stats',
      id: 'getPlatformStatistics',
      summary: 'Statistics of the whole platform',
      query: { chain_id: optional(CHAIN_ID) },
      answer: wire.PlatformStatistics,
      handle: async ({ query: { chain_id: chainId } }) => {
        const isChosen = (of: { readonly chainId: number }) => chainId === undefined || of.chainId === chainId;
        const active = reads.activeMarkets().filter(({ facts }) => isChosen(facts));
        const retired = reads.retiredTotals().filter(isChosen);
        const [figures, shares] = await Promise.all([views.listChainFigures(clock.nowMs()), views.sumMarketShares()]);
        return toPlatformStatistics({ active, retired, figures, shares, nowSeconds: clock.nowSeconds() });
      },
    }),
  ];
}

const INTERVAL = choiceOf(CANDLE_INTERVALS, 'Length of a candle; 1h when absent');
const FOLD = choiceOf(['none', 'both'], 'both: trades of the other outcome count too, at 1 - price; none when absent');
/** Cursor: start of the oldest candle of the previous page. */
const CURSOR = cursorOf(Type.String({ pattern: '^[0-9]{1,12}$' }), Number);

export function candleEndpoints({ reads, views }: Pick<ApiServices, 'reads' | 'views'>): Endpoint[] {
  return [
    endpoint({
      method: 'get',
      path: '/api/v1/candles/:marketId',
      id: 'getCandles',
      tag: 'Markets',
      summary: 'Prices over time',
      params: { marketId: MARKET_ID },
      query: {
        outcome: withDefault(OUTCOME, YES),
        interval: withDefault(INTERVAL, '1h'),
        fold: withDefault(FOLD, 'none'),
        limit: listLimit(LIMITS.candlesMax, LIMITS.candlesDefault),
        cursor: optional(CURSOR),
      },
      answer: wire.Candles,
      errors: ['market_not_found'],
      handle: async ({ params: { marketId }, query: { outcome, interval, fold, limit, cursor } }) => {
        marketOf(reads, marketId);
        const asked = {
          marketId,
          outcome,
          isFolded: fold === 'both',
          seconds: CANDLE_SECONDS[interval],
          before: cursor,
        };
        // Reads one more than requested, to know whether there is a next page.
        const rows = await views.listCandles({ ...asked, limit: limit + 1 });
        const candles = rows.slice(-limit).map(({ time, open, high, low, close, volume }) => {
          return { time, open, high, low, close, volume };
        });
        const nextCursor = rows.length > limit ? String(candles[0]?.time) : null;
        return { marketId, outcome, interval, candles, nextCursor };
      },
    }),
  ];
}
