// Quick markets and the prices they are decided by.
import type { ChainOptions, Http } from '../http.ts';
import { toAsset } from '../inputs.ts';
import type { ActiveQuickMarket, CurrentPrice, PriceHistory, QuickMarketHistory } from '../types.ts';

export function quickReads(http: Http) {
  const ofAsset = <T>(path: string, asset: string, { chainId, ...options }: ChainOptions = {}): Promise<T> => {
    const query = chainId === undefined ? {} : { chain_id: chainId };
    return http.get(`/api/v1/quick-markets/${toAsset(asset)}${path}`, query, options);
  };

  return {
    /** The 15-minute market of an asset that is open now, or none; of the service's first chain by default. */
    getQuickMarket: (asset: string, options?: ChainOptions): Promise<ActiveQuickMarket> => ofAsset('', asset, options),

    /** The newest quick markets of an asset, newest first. */
    listQuickMarkets: (asset: string, options?: ChainOptions): Promise<QuickMarketHistory> =>
      ofAsset('/history', asset, options),

    /** The price of an asset now. */
    getPrice: (asset: string, options?: ChainOptions): Promise<CurrentPrice> => ofAsset('/price', asset, options),

    /** Twenty minutes of prices, oldest first. */
    getPriceHistory: (asset: string, options?: ChainOptions): Promise<PriceHistory> =>
      ofAsset('/price-history', asset, options),
  };
}
