// What was traded and who holds it: one market's statistics, holders and activity, and the platform's.
import type { MarketView } from '@presage/engine';
import {
  Holders,
  LIMITS,
  MarketActivity,
  type MarketId,
  MarketStatistics,
  PlatformStatistics,
  PresageError,
} from '@presage/protocol';
import { type Endpoint, endpoint } from '../endpoint.ts';
import { toHolders, toMarketStatistics, toPlatformStatistics } from '../mappers/statistics.ts';
import { toTrade } from '../mappers/trade.ts';
import { CHAIN_ID, limitUpTo, MARKET_ID, optional, withDefault } from '../parameters.ts';
import type { ApiServices } from '../services.ts';

const { topHolders, topHoldersMax, marketActivity, marketActivityMax } = LIMITS;
const markets = { method: 'get', tag: 'Markets' } as const;
const oneMarket = { ...markets, params: { marketId: MARKET_ID }, errors: ['market_not_found'] } as const;

export function statisticsEndpoints({
  reads,
  views,
  clock,
}: Pick<ApiServices, 'reads' | 'views' | 'clock'>): Endpoint[] {
  const findMarket = (marketId: MarketId): MarketView => {
    const market = reads.market(marketId);
    if (market === undefined) throw new PresageError('market_not_found', { marketId });
    return market;
  };
  return [
    endpoint({
      ...oneMarket,
      path: '/api/v1/stats/:marketId',
      id: 'getMarketStatistics',
      summary: 'Volume and last price of a market',
      answer: MarketStatistics,
      handle: async ({ params: { marketId } }) => {
        const { facts } = findMarket(marketId);
        return toMarketStatistics(facts, (await views.listMarketFigures(clock.nowMs(), [marketId])).get(marketId));
      },
    }),
    endpoint({
      ...oneMarket,
      path: '/api/v1/holders/:marketId',
      id: 'getHolders',
      summary: 'The largest holders of a market',
      query: { limit: withDefault(limitUpTo(topHoldersMax, topHolders), topHolders) },
      answer: Holders,
      handle: async ({ params, query: { limit } }) =>
        toHolders(await views.listHolders(findMarket(params.marketId).facts.marketId, limit)),
    }),
    endpoint({
      ...oneMarket,
      path: '/api/v1/activity/:marketId',
      id: 'getMarketActivity',
      summary: 'The most recent trades of a market',
      query: { limit: withDefault(limitUpTo(marketActivityMax, marketActivity), marketActivity) },
      answer: MarketActivity,
      handle: async ({ params, query: { limit } }) => {
        const { marketId } = findMarket(params.marketId).facts;
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
      answer: PlatformStatistics,
      handle: async ({ query: { chain_id: chainId } }) => {
        const chosen = reads.markets().filter(({ facts }) => chainId === undefined || facts.chainId === chainId);
        const [figures, shares] = await Promise.all([views.listChainFigures(clock.nowMs()), views.sumMarketShares()]);
        return toPlatformStatistics({ markets: chosen, figures, shares, nowSeconds: clock.nowSeconds() });
      },
    }),
  ];
}
