// What is answered of quick markets, to those who ask and to those who listen.
import {
  type ActiveQuickMarket,
  type NoActiveQuickMarket,
  type QuickMarket,
  type QuickMarketHistory,
  type QuickWindow,
  SELL,
  YES,
} from '@presage/protocol';
import type { QuickMarkets } from '../quick/quick-markets.ts';
import type { Answer } from './answer.ts';
import { toQuickMarket } from './mappers/quick-market.ts';
import type { ApiServices, PricePort } from './services.ts';

export type QuickMarketNow = Answer<typeof ActiveQuickMarket> | Answer<typeof NoActiveQuickMarket>;

interface QuickAnswersOptions extends Pick<ApiServices, 'reads' | 'clock' | 'chains'> {
  readonly prices: Pick<PricePort, 'last'>;
  /** The chain of quick markets if a request names none. */
  readonly firstChainId: number;
}

export class QuickAnswers {
  readonly #options: QuickAnswersOptions;

  constructor(options: QuickAnswersOptions) {
    this.#options = options;
  }

  active(asset: string, chainId?: number): QuickMarketNow {
    const { reads } = this.#options;
    const window = this.#quickOf(chainId)?.active(asset);
    const quickMarket = window && this.#toWire(window);
    if (window === undefined || quickMarket === undefined) return this.none(asset);
    return { active: true, asset, quickMarket, bestAskPrice: reads.bestPrice(window.creation.marketId, YES, SELL) };
  }

  none(asset: string): Answer<typeof NoActiveQuickMarket> {
    return { active: false, asset, nextMarket: null, quickMarket: null };
  }

  history(asset: string, limit: number, chainId?: number): Answer<typeof QuickMarketHistory> {
    const windows = (this.#quickOf(chainId)?.opened(asset) ?? []).slice(0, limit);
    const markets = windows.map((window) => this.#toWire(window)).filter((market) => market !== undefined);
    return { asset, markets, count: markets.length };
  }

  #quickOf(chainId: number | undefined): QuickMarkets | undefined {
    const { chains, firstChainId } = this.#options;
    return chains.find(chainId ?? firstChainId)?.quick;
  }

  #toWire(window: QuickWindow): Answer<typeof QuickMarket> | undefined {
    const { prices, reads, clock } = this.#options;
    const simulated = prices.last(window.asset)?.simulated === true;
    return toQuickMarket(window, { reads, nowSeconds: clock.nowSeconds(), simulated });
  }
}
