// Markets, one market, and the orderbook.
import type { MarketView } from '@presage/engine';
import { CATEGORIES, LIMITS, MARKET_KINDS, MARKET_STATUSES, PresageError } from '@presage/protocol';
import type { FastifyInstance } from 'fastify';
import { bytes32Of, invalidField, optionalChainId, outcomeOf, type Query, textOf } from '../query-values.ts';
import type { ApiServices } from '../services.ts';
import { toMarket, toMarketStatus, toOrderbook } from '../wire-markets.ts';

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
    server.get('/api/v1/markets', async (request) => {
      const chosen = filterMarkets(reads.markets(), request.query as Query, clock.nowSeconds());
      const markets = await toWire(openAndNewestClosed(chosen, clock.nowSeconds()));
      return { markets, count: markets.length };
    });

    server.get<{ Params: { id: string } }>('/api/v1/markets/:id', async (request) => {
      const marketId = bytes32Of('id', request.params.id);
      const market = reads.market(marketId);
      if (market === undefined) throw new PresageError('market_not_found', { marketId });
      return (await toWire([market]))[0];
    });

    server.get<{ Params: { marketId: string } }>('/api/v1/orderbook/:marketId', async (request) => {
      const marketId = bytes32Of('marketId', request.params.marketId);
      return toOrderbook(reads, marketId, outcomeOf(request.query as Query));
    });
  };
}

function filterMarkets(markets: readonly MarketView[], query: Query, nowSeconds: number): MarketView[] {
  const chainId = optionalChainId(query);
  const status = choiceOf(query, 'status', MARKET_STATUSES);
  const category = choiceOf(query, 'category', CATEGORIES);
  const kind = choiceOf(query, 'kind', MARKET_KINDS);
  const search = textOf(query, 'search')?.toLowerCase();
  return markets.filter((view) => {
    const { facts } = view;
    if (chainId !== undefined && facts.chainId !== chainId) return false;
    if (status !== undefined && toMarketStatus(view, nowSeconds) !== status) return false;
    if (category !== undefined && facts.category !== category) return false;
    if (kind !== undefined && facts.kind !== kind) return false;
    return search === undefined || `${facts.question} ${facts.description}`.toLowerCase().includes(search);
  });
}

function choiceOf<T extends string>(query: Query, field: string, choices: readonly T[]): T | undefined {
  const value = textOf(query, field);
  if (value === undefined) return undefined;
  const choice = choices.find((each) => each === value);
  if (choice === undefined) throw invalidField(field, `one of ${choices.join(', ')}`);
  return choice;
}

/** All open ones and the hundred newest closed ones, newest first. */
function openAndNewestClosed(markets: readonly MarketView[], nowSeconds: number): MarketView[] {
  const newestFirst = [...markets].sort((a, b) => b.facts.createdAt - a.facts.createdAt);
  const isOpen = (view: MarketView) => toMarketStatus(view, nowSeconds) === 'open';
  const closed = newestFirst.filter((view) => !isOpen(view)).slice(0, LIMITS.closedMarketsListed);
  return [...newestFirst.filter(isOpen), ...closed];
}
