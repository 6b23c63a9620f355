// What was traded and who holds it: one market's statistics, holders and activity, and the platform's.
import type { MarketView } from '@presage/engine';
import { PresageError } from '@presage/protocol';
import type { FastifyInstance } from 'fastify';
import { bytes32Of, optionalChainId, type Query } from '../query-values.ts';
import type { ApiServices } from '../services.ts';
import { toHolders, toMarketStatistics, toPlatformStatistics } from '../wire-statistics.ts';
import { toTrade } from '../wire-trades.ts';

type StatisticsServices = Pick<ApiServices, 'reads' | 'views' | 'clock'>;

interface OneMarket {
  Params: { marketId: string };
}

export function statisticsRoutes({ reads, views, clock }: StatisticsServices) {
  const marketOf = (text: string): MarketView => {
    const marketId = bytes32Of('marketId', text);
    const market = reads.market(marketId);
    if (market === undefined) throw new PresageError('market_not_found', { marketId });
    return market;
  };

  return (server: FastifyInstance): void => {
    server.get<OneMarket>('/api/v1/stats/:marketId', async (request) => {
      const { facts } = marketOf(request.params.marketId);
      const figures = await views.figures([facts.marketId]);
      return toMarketStatistics(facts, figures.get(facts.marketId));
    });

    server.get<OneMarket>('/api/v1/holders/:marketId', async (request) => {
      const { facts } = marketOf(request.params.marketId);
      return toHolders(await views.holders(facts.marketId));
    });

    server.get<OneMarket>('/api/v1/activity/:marketId', async (request) => {
      const { marketId } = marketOf(request.params.marketId).facts;
      const activity = (await views.activity(marketId)).map(toTrade);
      return { marketId, activity, count: activity.length };
    });

    server.get('/api/v1/platform/stats', async (request) => {
      const chainId = optionalChainId(request.query as Query);
      const markets = reads.markets().filter(({ facts }) => chainId === undefined || facts.chainId === chainId);
      const [figures, openInterest] = await Promise.all([
        views.figures(markets.map(({ facts }) => facts.marketId)),
        views.openInterest(),
      ]);
      return toPlatformStatistics({ markets, figures, openInterest, nowSeconds: clock.nowSeconds() });
    });
  };
}
