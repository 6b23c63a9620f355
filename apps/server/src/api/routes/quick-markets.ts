// Quick markets: the one that runs, and those that are over.
import { LIMITS, parseAsset, type QuickWindow, SELL, YES } from '@presage/protocol';
import type { FastifyInstance } from 'fastify';
import { invalidField } from '../query-values.ts';
import type { ApiServices, PriceDesk } from '../services.ts';
import { toQuickMarket } from '../wire-quick-markets.ts';

export interface QuickDesk {
  /** The window of an asset that can be traded now. */
  active(asset: string): QuickWindow | undefined;
  /** Every window that was opened, newest first. */
  opened(asset: string): QuickWindow[];
}

export interface QuickRouteOptions extends Pick<ApiServices, 'reads' | 'clock'> {
  readonly prices: Pick<PriceDesk, 'last'>;
  /** Absent where there are no quick markets: then none is active. */
  readonly quick: QuickDesk | undefined;
}

type AssetPath = { Params: { asset: string } };

export function quickMarketRoutes({ quick, prices, reads, clock }: QuickRouteOptions) {
  const toWire = (window: QuickWindow) => {
    const simulated = prices.last(window.asset)?.simulated === true;
    return toQuickMarket(window, { reads, nowSeconds: clock.nowSeconds(), simulated });
  };
  return (server: FastifyInstance): void => {
    server.get<AssetPath>('/api/v1/quick-markets/:asset', async (request) => {
      const asset = assetOf(request.params.asset);
      const window = quick?.active(asset);
      const quickMarket = window && toWire(window);
      if (window === undefined || quickMarket === undefined)
        return { active: false, asset, nextMarket: null, quickMarket: null };
      return { active: true, asset, quickMarket, bestAskPrice: reads.bestPrice(window.creation.marketId, YES, SELL) };
    });

    server.get<AssetPath>('/api/v1/quick-markets/:asset/history', async (request) => {
      const asset = assetOf(request.params.asset);
      const windows = (quick?.opened(asset) ?? []).slice(0, LIMITS.quickMarketHistory);
      const markets = windows.map(toWire).filter((market) => market !== undefined);
      return { asset, markets, count: markets.length };
    });
  };
}

function assetOf(text: string): string {
  const asset = parseAsset(text);
  if (asset === undefined) throw invalidField('asset', 'a symbol of 1 to 16 letters and digits');
  return asset;
}
