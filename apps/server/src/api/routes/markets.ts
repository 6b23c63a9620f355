// Markets, one market, and the orderbook.
import type { Engine, MarketView } from '@presage/engine';
import { type MarketId, type Outcome, PresageError, stringifyJson } from '@presage/protocol';
import type { FastifyInstance } from 'fastify';
import { sendTagged, type Tagged, tagByContent } from '../entity-tag.ts';
import { chooseMarkets } from '../market-list.ts';
import { bytes32Of, outcomeOf, type Query } from '../query-values.ts';
import type { ApiServices } from '../services.ts';
import { toMarket, toOrderbook } from '../wire-markets.ts';

const NOTHING_TRADED = { volume: 0n, volume24h: 0n, tradeCount: 0, lastPrice: 0, lastYesPrice: 0 };

type MarketServices = Pick<ApiServices, 'reads' | 'views' | 'clock'>;

/** Markets as the wire shows them, figures and all. */
export function createMarketReader({ reads, views, clock }: MarketServices) {
  return async (markets: readonly MarketView[]): Promise<object[]> => {
    const figures = await views.figures(markets.map(({ facts }) => facts.marketId));
    const nowSeconds = clock.nowSeconds();
    return markets.map((view) => {
      return toMarket(view, reads, { figures: figures.get(view.facts.marketId) ?? NOTHING_TRADED, nowSeconds });
    });
  };
}

export function marketRoutes({ reads, views, clock }: MarketServices) {
  const toWire = createMarketReader({ reads, views, clock });
  return (server: FastifyInstance): void => {
    server.get('/api/v1/markets', async (request, reply) => {
      const page = chooseMarkets(reads.markets(), request.query as Query, clock.nowSeconds());
      const markets = await toWire(page.markets);
      const answer = { markets, count: markets.length, nextCursor: page.nextCursor };
      return sendTagged(request, reply, tagByContent(answer));
    });

    server.get<{ Params: { id: string } }>('/api/v1/markets/:id', async (request, reply) => {
      const marketId = bytes32Of('id', request.params.id);
      const market = reads.market(marketId);
      if (market === undefined) throw new PresageError('market_not_found', { marketId });
      const [answer] = await toWire([market]);
      return sendTagged(request, reply, tagByContent(answer as object));
    });

    server.get<{ Params: { marketId: string } }>('/api/v1/orderbook/:marketId', async (request, reply) => {
      const marketId = bytes32Of('marketId', request.params.marketId);
      return sendTagged(request, reply, tagBook(reads, marketId, outcomeOf(request.query as Query)));
    });
  };
}

/** Step and hash of the book say whether it changed, without drawing its levels. */
function tagBook(reads: Engine, marketId: MarketId, outcome: Outcome | undefined): Tagged {
  const { step, updatedMs } = reads.market(marketId) ?? { step: 0, updatedMs: 0 };
  return {
    tag: `${step}-${updatedMs}-${reads.bookHash(marketId, outcome)}`,
    body: () => stringifyJson(toOrderbook(reads, marketId, outcome)),
  };
}
