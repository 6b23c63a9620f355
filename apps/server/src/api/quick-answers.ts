// Answers about quick markets, for requests and for streams.
import {
  type BoundaryEvidence,
  isDecided,
  LIMITS,
  PRICE_DECIMALS,
  type QuickWindow,
  SELL,
  toChecksumAddress,
  YES,
} from '@presage/protocol';
import type { Prices } from '../prices/prices.ts';
import type { QuickMarkets } from '../quick/quick-markets.ts';
import type { Wire } from './answer.ts';
import { toMarketStatus } from './mappers/market.ts';
import type { ApiServices } from './services.ts';

export type QuickMarketNow = Wire<'ActiveQuickMarket'> | Wire<'NoActiveQuickMarket'>;

interface QuickAnswersOptions extends Pick<ApiServices, 'reads' | 'clock' | 'chains'> {
  readonly prices: Pick<Prices, 'last'>;
  /** Chain used if a request names none. */
  readonly firstChainId: number;
}

/** Source named in answers: the primary decides markets, fallbacks are for display only. */
const PRICE_SOURCE = 'pyth';

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

  none(asset: string): Wire<'NoActiveQuickMarket'> {
    return { active: false, asset, nextMarket: null, quickMarket: null };
  }

  history(asset: string, limit: number, chainId?: number): Wire<'QuickMarketHistory'> {
    const windows = (this.#quickOf(chainId)?.opened(asset) ?? []).slice(0, limit);
    const markets = windows.map((window) => this.#toWire(window)).filter((market) => market !== undefined);
    return { asset, markets, count: markets.length };
  }

  #quickOf(chainId: number | undefined): QuickMarkets | undefined {
    const { chains, firstChainId } = this.#options;
    return chains.find(chainId ?? firstChainId)?.quick;
  }

  /** Maps a window; undefined if it was never opened. */
  #toWire({ asset, startTime, creation, id, start, end }: QuickWindow): Wire<'QuickMarket'> | undefined {
    const { prices, reads, clock } = this.#options;
    const market = reads.market(creation.marketId);
    if (id === undefined || start === undefined || market === undefined) return undefined;
    const { resolution } = market;
    const isResolved = isDecided(resolution);
    const decisive = isResolved && resolution.status === 'resolved' ? end : undefined;
    const priceDecimals = decimalsOf(start, decisive);
    return {
      id,
      marketId: creation.marketId,
      asset,
      intervalMinutes: LIMITS.quickIntervalSeconds / 60,
      startPrice: toFigure(start, priceDecimals),
      startTime,
      endTime: market.facts.expiration,
      resolved: isResolved,
      priceSource: PRICE_SOURCE,
      createdAt: creation.createdAt,
      endPrice: decisive === undefined ? null : toFigure(decisive, priceDecimals),
      outcome: isResolved ? (resolution.winningOutcome ?? null) : null,
      contractAddress: toChecksumAddress(creation.contractAddress),
      priceDecimals,
      status: toMarketStatus(market, clock.nowSeconds()),
      bestAskPrice: reads.bestPrice(creation.marketId, YES, SELL),
      startEvidence: toEvidence(start),
      endEvidence: decisive === undefined ? null : toEvidence(decisive),
      feeRateBps: market.facts.feeRateBps ?? 0,
      makerShareBps: market.facts.makerShareBps ?? 0,
      ...(prices.last(asset)?.simulated === true && { simulated: true }),
    };
  }
}

/** Decimals of prices: at least the usual number, more for a feed with finer prices, so that no digit is lost. */
function decimalsOf(...prices: readonly (BoundaryEvidence | undefined)[]): number {
  return Math.max(PRICE_DECIMALS, ...prices.map((price) => -(price?.expo ?? 0)));
}

function toFigure({ price, expo }: BoundaryEvidence, decimals: number): number | bigint {
  const figure = BigInt(price) * 10n ** BigInt(decimals + expo);
  return Number.isSafeInteger(Number(figure)) ? Number(figure) : figure;
}

function toEvidence({ publishTime, payload }: BoundaryEvidence): Wire<'PriceEvidence'> {
  return { source: PRICE_SOURCE, publishTime, payload };
}
