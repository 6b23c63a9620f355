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
import type { Answer } from './answer.ts';
import { toQuickMarket } from './mappers/quick-market.ts';
import type { ApiServices, PricePort } from './services.ts';

export type QuickMarketNow = Answer<typeof ActiveQuickMarket> | Answer<typeof NoActiveQuickMarket>;

export interface QuickMarketPort {
  /** The window of an asset that can be traded now. */
  active(asset: string): QuickWindow | undefined;
  /** Every window that was opened, newest first. */
  opened(asset: string): QuickWindow[];
}

interface QuickAnswersOptions extends Pick<ApiServices, 'reads' | 'clock'> {
  readonly prices: Pick<PricePort, 'last'>;
  /** Absent where there are no quick markets: then none is active. */
  readonly quick: QuickMarketPort | undefined;
}

export class QuickAnswers {
  readonly #options: QuickAnswersOptions;

  constructor(options: QuickAnswersOptions) {
    this.#options = options;
  }

  active(asset: string): QuickMarketNow {
    const { quick, reads } = this.#options;
    const window = quick?.active(asset);
    const quickMarket = window && this.#toWire(window);
    if (window === undefined || quickMarket === undefined) return this.none(asset);
    return { active: true, asset, quickMarket, bestAskPrice: reads.bestPrice(window.creation.marketId, YES, SELL) };
  }

  none(asset: string): Answer<typeof NoActiveQuickMarket> {
    return { active: false, asset, nextMarket: null, quickMarket: null };
  }

  history(asset: string, limit: number): Answer<typeof QuickMarketHistory> {
    const windows = (this.#options.quick?.opened(asset) ?? []).slice(0, limit);
    const markets = windows.map((window) => this.#toWire(window)).filter((market) => market !== undefined);
    return { asset, markets, count: markets.length };
  }

  #toWire(window: QuickWindow): Answer<typeof QuickMarket> | undefined {
    const { prices, reads, clock } = this.#options;
    const simulated = prices.last(window.asset)?.simulated === true;
    return toQuickMarket(window, { reads, nowSeconds: clock.nowSeconds(), simulated });
  }
}
