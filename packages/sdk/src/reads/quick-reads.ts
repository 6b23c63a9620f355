// Reads of quick markets and of the prices that decide them.
import type { ChainOptions, Http } from '../http.ts';
import { toAsset } from '../inputs.ts';
import type { ActiveQuickMarket, CurrentPrice, PriceHistory, QuickMarketHistory } from '../types.ts';

type AssetRead<A> = (asset: string, options?: ChainOptions) => Promise<A>;

export function quickReads(http: Http) {
  const ofAsset =
    <A>(path: string): AssetRead<A> =>
    (asset, { chainId, ...options } = {}) => {
      const query = chainId === undefined ? {} : { chain_id: chainId };
      return http.get(`/api/v1/quick-markets/${toAsset(asset)}${path}`, query, options);
    };

  return {
    /** The 15-minute market of an asset that is open now, or none; of the service's first chain by default. */
    getQuickMarket: ofAsset<ActiveQuickMarket>(''),
    /** The newest quick markets of an asset, newest first. */
    listQuickMarkets: ofAsset<QuickMarketHistory>('/history'),
    /** The price of an asset now. */
    getPrice: ofAsset<CurrentPrice>('/price'),
    /** Twenty minutes of prices, oldest first. */
    getPriceHistory: ofAsset<PriceHistory>('/price-history'),
  };
}
