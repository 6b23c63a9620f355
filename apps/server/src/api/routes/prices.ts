// Prices of the assets of quick markets: the current one, twenty minutes of history, the stream.
import {
  CurrentPrice,
  LIMITS,
  PRICE_DECIMALS,
  PresageError,
  PriceHistory,
  PriceStreamEvent,
  parseAsset,
} from '@presage/protocol';
import type { FastifyReply } from 'fastify';
import { type Endpoint, endpoint, streamingEndpoint } from '../endpoint.ts';
import { toCurrentPrice, toHistoryEntry } from '../mappers/price.ts';
import { ASSET, limitUpTo, textKind, withDefault } from '../parameters.ts';
import type { PriceStream } from '../price-stream.ts';
import type { PricePort } from '../services.ts';

interface PriceEndpointOptions {
  readonly prices: PricePort;
  readonly stream: PriceStream;
}

const { priceHistorySeconds } = LIMITS;

const STREAM_HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  // Proxies that buffer would hold events back.
  'x-accel-buffering': 'no',
} as const;

export function priceEndpoints({ prices, stream }: PriceEndpointOptions): Endpoint[] {
  /** The asset's feeds; any other name is not found, however it is spelled. */
  const asset = textKind({
    schema: ASSET.schema,
    description: ASSET.description,
    read: (text) => {
      const symbol = parseAsset(text);
      return symbol !== undefined && prices.has(symbol) ? symbol : undefined;
    },
    refusal: (text) => new PresageError('asset_not_supported', { asset: text }),
  });
  const ofAsset = { method: 'get', tag: 'Quick markets', params: { asset } } as const;
  return [
    endpoint({
      ...ofAsset,
      path: '/api/v1/quick-markets/:asset/price',
      answeredBy: 'settler',
      id: 'getPrice',
      summary: 'The newest price of an asset',
      answer: CurrentPrice,
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
      answeredBy: 'settler',
      id: 'getPriceHistory',
      summary: 'Twenty minutes of prices, or the newest of them, oldest first',
      query: { limit: withDefault(limitUpTo(priceHistorySeconds, priceHistorySeconds), priceHistorySeconds) },
      answer: PriceHistory,
      errors: ['asset_not_supported'],
      handle: async ({ params, query: { limit } }) => {
        const entries = prices.history(params.asset).slice(-limit).map(toHistoryEntry);
        return { asset: params.asset, priceDecimals: PRICE_DECIMALS, prices: entries, count: entries.length };
      },
    }),
    streamingEndpoint({
      ...ofAsset,
      path: '/api/v1/quick-markets/:asset/price-stream',
      answeredBy: 'settler',
      id: 'streamPrices',
      summary: 'Prices as they come, as server-sent events',
      description: 'The last known price comes at once. `Last-Event-ID` resumes inside the twenty minutes of history.',
      answer: PriceStreamEvent,
      contentType: 'text/event-stream',
      errors: ['asset_not_supported', 'price_unavailable'],
      // A HEAD of it would never end.
      options: { exposeHeadRoute: false },
      handle: ({ params, request, reply }) => {
        stream.requireCapacity(params.asset);
        reply.hijack();
        startEvents(reply);
        const seen = request.headers['last-event-id'];
        stream.add(params.asset, reply.raw, Array.isArray(seen) ? undefined : seen);
      },
    }),
  ];
}

function startEvents(reply: FastifyReply): void {
  for (const [name, value] of Object.entries(reply.getHeaders())) {
    if (value !== undefined) reply.raw.setHeader(name, value);
  }
  reply.raw.writeHead(200, STREAM_HEADERS);
  // A reader that has seen everything must not wait for the next price to know that it is connected.
  reply.raw.flushHeaders();
}
