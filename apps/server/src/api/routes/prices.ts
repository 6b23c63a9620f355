// Prices of the assets of quick markets: the current one, twenty minutes of history, the stream.
import type { OutgoingHttpHeaders } from 'node:http';
import { PRICE_DECIMALS, PresageError, parseAsset } from '@presage/protocol';
import type { FastifyInstance } from 'fastify';
import type { PriceStream } from '../price-stream.ts';
import type { PricePort } from '../services.ts';
import { toCurrentPrice, toHistoryEntry } from '../wire-prices.ts';

export interface PriceRoutesOptions {
  readonly prices: PricePort;
  readonly stream: PriceStream;
}

type AssetRoute = { Params: { asset: string } };

const PATH = '/api/v1/quick-markets/:asset';
const STREAM_HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  // Proxies that buffer would hold events back.
  'x-accel-buffering': 'no',
} as const;

export function priceRoutes({ prices, stream }: PriceRoutesOptions) {
  const assetOf = (text: string): string => {
    const asset = parseAsset(text);
    if (asset === undefined || !prices.has(asset)) throw new PresageError('asset_not_supported', { asset: text });
    return asset;
  };
  return (server: FastifyInstance): void => {
    server.get<AssetRoute>(`${PATH}/price`, async (request) => {
      const asset = assetOf(request.params.asset);
      const last = prices.last(asset);
      if (last === undefined) throw new PresageError('price_unavailable', { asset });
      return toCurrentPrice(last, prices.sourceUrl(last));
    });

    server.get<AssetRoute>(`${PATH}/price-history`, async (request) => {
      const asset = assetOf(request.params.asset);
      const entries = prices.history(asset).map(toHistoryEntry);
      return { asset, priceDecimals: PRICE_DECIMALS, prices: entries, count: entries.length };
    });

    // A HEAD of it would never end.
    server.get<AssetRoute>(`${PATH}/price-stream`, { exposeHeadRoute: false }, (request, reply) => {
      const asset = assetOf(request.params.asset);
      stream.requireRoom(asset);
      reply.hijack();
      reply.raw.writeHead(200, { ...(reply.getHeaders() as OutgoingHttpHeaders), ...STREAM_HEADERS });
      // A reader that has seen everything must not wait for the next price to know that it is connected.
      reply.raw.flushHeaders();
      stream.add(asset, reply.raw, request.headers['last-event-id'] as string | undefined);
    });
  };
}
