// Endpoints for quick markets and the prices of their assets: the current one, twenty minutes of history, the stream.

import { LIMITS, PRICE_DECIMALS, PresageError, parseAsset } from '@presage/protocol';
import * as wire from '@presage/protocol/wire';
import Type from 'typebox';
import type { Prices } from '../../prices/prices.ts';
import { type Endpoint, endpoint, streamingEndpoint } from '../endpoint.ts';
import { toCurrentPrice, toHistoryEntry } from '../mappers/price.ts';
import { ASSET, CHAIN_ID, listLimit, optional, textKind } from '../parameters.ts';
import type { PriceStream } from '../price-stream.ts';
import type { QuickAnswers } from '../quick-answers.ts';

type PriceReads = Pick<Prices, 'has' | 'last' | 'history' | 'sourceUrl'>;

export function priceEndpoints(prices: PriceReads, stream: PriceStream): Endpoint[] {
  /** Symbol of an asset with a price; any other name, however it is spelled, is not found. */
  const asset = textKind({
    ...ASSET,
    read: (text) => {
      const symbol = parseAsset(text);
      return symbol !== undefined && prices.has(symbol) ? symbol : undefined;
    },
    refusal: (text) => new PresageError('asset_not_supported', { asset: text }),
  });
  const ofAsset = { ...quick, params: { asset } } as const;
  return [
    endpoint({
      ...ofAsset,
      path: '/api/v1/quick-markets/:asset/price',
      id: 'getPrice',
      summary: 'The newest price of an asset',
      answer: wire.CurrentPrice,
      errors: ['asset_not_supported', 'price_unavailable'],
      handle: async ({ params }) => {
        const last = prices.last(params.asset);
        if (last === undefined) throw new PresageError('price_unavailable', { asset: params.asset });
        return toCurrentPrice(last, prices.sourceUrl(last));
      },
    }),
    endpoint({
      ...ofAsset,
      path: '/api/v1/quick-markets/:asset/price-history',
      id: 'getPriceHistory',
      summary: 'Twenty minutes of prices, or the newest of them, oldest first',
      query: { limit: listLimit(LIMITS.priceHistorySeconds) },
      answer: wire.PriceHistory,
      errors: ['asset_not_supported'],
      handle: async ({ params, query: { limit } }) => {
        const entries = prices.history(params.asset).slice(-limit).map(toHistoryEntry);
        return { asset: params.asset, priceDecimals: PRICE_DECIMALS, prices: entries, count: entries.length };
      },
    }),
    streamingEndpoint({
      ...ofAsset,
      path: '/api/v1/quick-markets/:asset/price-stream',
      id: 'streamPrices',
      summary: 'Prices as they come, as server-sent events',
      description: 'The last known price comes at once. `Last-Event-ID` resumes inside the twenty minutes of history.',
      answer: wire.PriceStreamEvent,
      contentType: 'text/event-stream',
      errors: ['asset_not_supported', 'price_unavailable'],
      // No HEAD: it would never end.
      options: { hasHead: false },
      handle: ({ params, request, reply }) => {
        stream.requireCapacity(params.asset);
        const seen = request.headers['last-event-id'];
        stream.add(params.asset, reply, Array.isArray(seen) ? undefined : seen);
      },
    }),
  ];
}

const { quickMarketHistory, quickIntervalSeconds } = LIMITS;

const INTERVAL = optional(
  textKind({
    schema: Type.String({ pattern: '^[0-9]{1,6}$' }),
    description: `Length of a window in minutes; there are windows of ${quickIntervalSeconds / 60} only`,
    expected: 'a number of minutes',
    read: Number,
  }),
);

/** Whether the interval has markets; another one is answered like an asset without quick markets. */
function isServed(interval: number | undefined): boolean {
  return interval === undefined || interval * 60 === quickIntervalSeconds;
}

const CHAIN = optional(CHAIN_ID, 'The first of /config when absent');

const quick = { method: 'get', tag: 'Quick markets', answeredBy: 'settler', params: { asset: ASSET } } as const;

export function quickMarketEndpoints(answers: QuickAnswers): Endpoint[] {
  return [
    endpoint({
      ...quick,
      path: '/api/v1/quick-markets/:asset',
      id: 'getQuickMarket',
      summary: 'The quick market of an asset that runs now',
      description:
        'Windows of 15 minutes begin at :00, :15, :30 and :45 UTC. YES wins if the end price is at or above the start price.',
      query: { interval: INTERVAL, chain_id: CHAIN },
      answer: Type.Union([wire.ActiveQuickMarket, wire.NoActiveQuickMarket]),
      handle: async ({ params: { asset }, query: { interval, chain_id: chainId } }) =>
        isServed(interval) ? answers.active(asset, chainId) : answers.none(asset),
    }),
    endpoint({
      ...quick,
      path: '/api/v1/quick-markets/:asset/history',
      id: 'listQuickMarkets',
      summary: 'The most recent quick markets of an asset, newest first',
      query: {
        interval: INTERVAL,
        chain_id: CHAIN,
        limit: listLimit(quickMarketHistory),
      },
      answer: wire.QuickMarketHistory,
      handle: async ({ params: { asset }, query: { interval, limit, chain_id: chainId } }) =>
        answers.history(asset, isServed(interval) ? limit : 0, chainId),
    }),
  ];
}
