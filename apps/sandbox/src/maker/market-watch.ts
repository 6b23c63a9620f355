// What the demo maker sees: the open markets, each with its fair value of this moment.
import type { Market, PublicClient } from '@presage/sdk';
import { fairOfQuick, fairOfWalk } from './fair-value.ts';

export interface PricedMarket {
  readonly market: Market;
  /** YES price in millionths of a dollar. */
  readonly fair: number;
}

interface QuickTerms {
  readonly asset: string;
  readonly strike: number;
  readonly endTime: number;
}

/** So close to its end a market is decided by who is quicker; a demo maker is not. */
const LAST_SECONDS = 10;

export class MarketWatch {
  readonly #client: PublicClient;
  /** Strike of each market: a window keeps its own. */
  readonly #terms = new Map<string, QuickTerms>();

  constructor(client: PublicClient) {
    this.#client = client;
  }

  async look(): Promise<PricedMarket[]> {
    const [{ markets }, { now }] = await Promise.all([
      this.#client.listMarkets({ status: 'open' }),
      this.#client.getTime(),
    ]);
    const tradable = markets.filter(({ expiration }) => Number(expiration) - now > LAST_SECONDS);
    const quick = tradable.filter(({ kind }) => kind === 'quick');
    if (quick.some(({ id }) => !this.#terms.has(id))) await this.#learnTerms();
    const spots = await this.#spots();
    return tradable.flatMap((market) => {
      if (market.kind !== 'quick') return [{ market, fair: fairOfWalk(market.id, now) }];
      const terms = this.#terms.get(market.id);
      const spot = terms && spots.get(terms.asset);
      if (terms === undefined || spot === undefined) return [];
      return [{ market, fair: fairOfQuick({ spot, strike: terms.strike, secondsLeft: terms.endTime - now }) }];
    });
  }

  async #learnTerms(): Promise<void> {
    this.#terms.clear();
    for (const asset of (await this.#client.getConfig()).quickMarkets.assets) {
      const current = await this.#client.getQuickMarket(asset);
      if (!current.active) continue;
      const { marketId, startPrice, endTime } = current.quickMarket;
      this.#terms.set(marketId, { asset, strike: Number(startPrice), endTime: Number(endTime) });
    }
  }

  async #spots(): Promise<Map<string, number>> {
    const assets = [...new Set([...this.#terms.values()].map(({ asset }) => asset))];
    const prices = await Promise.all(assets.map((asset) => this.#client.getPrice(asset)));
    return new Map(assets.map((asset, index) => [asset, Number(prices[index]!.price)]));
  }
}
