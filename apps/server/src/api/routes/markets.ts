// Endpoints for markets: the list, one market, its orderbook.
import { LIMITS, MARKET_KINDS, MARKET_STATUSES } from '@presage/protocol';
import * as wire from '@presage/protocol/wire';
import Type from 'typebox';
import { type Endpoint, endpoint } from '../endpoint.ts';
import { LongReads } from '../long-reads.ts';
import { MarketReader, toOrderbook } from '../mappers/market.ts';
import { assertCategory, chooseMarkets, MarketsByAge, parseCursor } from '../market-list.ts';
import { CHAIN_ID, choiceOf, cursorOf, limitUpTo, MARKET_ID, OUTCOME, optional, textKind } from '../parameters.ts';
import type { ApiServices } from '../services.ts';

const markets = { method: 'get', tag: 'Markets' } as const;

/** Limit on the search text: each word is searched for in the texts of all markets ever listed. */
const SEARCH_CHARACTERS = 200;

export const SEARCH = textKind({
  schema: Type.String({ maxLength: SEARCH_CHARACTERS }),
  description: 'Words of the question or description',
  expected: `at most ${SEARCH_CHARACTERS} characters`,
  read: (text) => text,
});
export const CATEGORY = textKind({
  schema: wire.CategoryText,
  description: 'Only of this category, one of GET /api/v1/categories',
  expected: 'the id of a category',
  read: (text) => text,
});
const CURSOR = cursorOf(Type.String({ minLength: 1 }), parseCursor);

export function marketEndpoints(services: Pick<ApiServices, 'reads' | 'views' | 'clock' | 'presentation'>): Endpoint[] {
  const { reads, clock, presentation } = services;
  const reader = new MarketReader(services);
  const byAge = new MarketsByAge(reads);
  const longReads = new LongReads();
  return [
    endpoint({
      ...markets,
      path: '/api/v1/markets',
      id: 'listMarkets',
      summary: 'Markets, newest first',
      description: `Without \`limit\` and \`cursor\`: all open ones and the ${LIMITS.closedMarketsListed} newest closed ones. Answers carry an ETag.`,
      query: {
        chain_id: optional(CHAIN_ID),
        status: optional(choiceOf(MARKET_STATUSES, 'Only in this state')),
        category: optional(CATEGORY),
        kind: optional(choiceOf(MARKET_KINDS, 'Only of this kind')),
        search: optional(SEARCH),
        include: optional(choiceOf(['sparkline'], 'sparkline: also the way of the price over seven days')),
        limit: optional(limitUpTo(LIMITS.marketsPageMax, LIMITS.marketsPageDefault)),
        cursor: optional(CURSOR),
      },
      answer: wire.MarketList,
      entityTag: 'content',
      handle: async ({ query: { chain_id: chainId, include, ...query }, request }) => {
        if (query.category !== undefined) assertCategory(query.category, presentation);
        const page = await longReads.run(request, (read) =>
          chooseMarkets(byAge, { ...query, chainId }, { nowSeconds: clock.nowSeconds(), presentation, read }),
        );
        const listed = await reader.list(page.markets, include === 'sparkline');
        return { markets: listed, count: listed.length, nextCursor: page.nextCursor };
      },
    }),
    endpoint({
      ...markets,
      path: '/api/v1/categories',
      id: 'listCategories',
      summary: 'The categories that the operator has defined',
      answer: wire.CategoryList,
      entityTag: 'content',
      handle: async () => {
        const categories = presentation.categories();
        return { categories, count: categories.length };
      },
    }),
    endpoint({
      ...markets,
      path: '/api/v1/markets/:id',
      id: 'getMarket',
      summary: 'One market',
      params: { id: MARKET_ID },
      answer: wire.Market,
      errors: ['market_not_found'],
      entityTag: 'content',
      handle: ({ params }) => reader.one(params.id),
    }),
    orderbook(reads),
  ];
}

function orderbook(reads: ApiServices['reads']): Endpoint {
  return endpoint({
    ...markets,
    path: '/api/v1/orderbook/:marketId',
    id: 'getOrderbook',
    summary: 'The book of one outcome, or of both',
    description:
      'Without `outcome`, the levels of both books, each with its outcome. Unknown markets have an empty book.',
    params: { marketId: MARKET_ID },
    query: { outcome: optional(OUTCOME) },
    answer: wire.OrderbookSnapshot,
    // The book's step and hash tell whether it changed, without reading its levels.
    entityTag: ({ params: { marketId }, query: { outcome } }) => {
      const { step, updatedMs } = reads.market(marketId) ?? { step: 0, updatedMs: 0 };
      return `${step}-${updatedMs}-${reads.bookHash(marketId, outcome)}`;
    },
    handle: async ({ params, query }) => toOrderbook(reads, params.marketId, query.outcome),
  });
}
