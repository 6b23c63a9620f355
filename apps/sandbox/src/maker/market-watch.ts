// Reads the open markets for the demo maker, each with its current fair value.

import { createHash } from 'node:crypto';
import type { Market, PublicClient } from '@presage/sdk';

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

/** No quotes this close to the end of a market: only the quickest trader wins there. */
const LAST_SECONDS = 10;

export class MarketWatch {
  readonly #client: PublicClient;
  /** Terms by market id; kept, since a window's strike never changes. */
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
    const events = outcomesByEvent(tradable);
    return tradable.flatMap((market) => {
      const outcomes = events.get(market.event?.id ?? '');
      if (outcomes !== undefined) return [{ market, fair: fairOfOutcome(market.id, outcomes, now) }];
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

export interface QuickView {
  readonly spot: number;
  readonly strike: number;
  readonly secondsLeft: number;
}

const YEAR_SECONDS = 365.25 * 86_400;
/** Yearly volatility of a major coin in a calm year; the simulated price moves about as much. */
const VOLATILITY = 0.6;
const MILLION = 1_000_000;
/** Least distance of a fair value from 0 and 1, because another trader may know more. */
const CLOSEST = 20_000;

/** Chance, in millionths, that the price ends at or above its strike: a digital option without interest. */
export function fairOfQuick({ spot, strike, secondsLeft }: QuickView): number {
  const spread = VOLATILITY * Math.sqrt(Math.max(secondsLeft, 1) / YEAR_SECONDS);
  return clampFair(normalBelow(Math.log(spot / strike) / spread) * MILLION);
}

/** A pseudo-random walk computed from the market id and the time, so that a restarted maker continues where it was. */
export function fairOfWalk(marketId: string, nowSeconds: number): number {
  const seed = createHash('sha256').update(marketId).digest();
  const phase = (index: number) => (seed.readUInt16BE(index * 2) / 65_536) * 2 * Math.PI;
  const base = 0.3 + (seed[31]! / 255) * 0.4;
  const tide = 0.1 * Math.sin(nowSeconds / 5_400 + phase(0));
  const swell = 0.03 * Math.sin(nowSeconds / 420 + phase(1));
  const ripple = 0.008 * Math.sin(nowSeconds / 45 + phase(2));
  return clampFair((base + tide + swell + ripple) * MILLION);
}

/** Market ids by event. */
function outcomesByEvent(markets: readonly Market[]): Map<string, string[]> {
  const events = new Map<string, string[]>();
  for (const { id, event } of markets) {
    if (event !== undefined) events.set(event.id, [...(events.get(event.id) ?? []), id]);
  }
  return events;
}

/** The outcome's share of the sum over all outcomes, so that the chances of an event add up to one. Each outcome has its own walk. */
export function fairOfOutcome(marketId: string, outcomes: readonly string[], nowSeconds: number): number {
  const weigh = (id: string) => (fairOfWalk(id, nowSeconds) / MILLION) ** OUTCOME_CONTRAST;
  const sum = outcomes.reduce((total, id) => total + weigh(id), 0);
  return clampFair((weigh(marketId) / sum) * MILLION);
}

/** Exponent that spreads the outcomes of an event: walks stay around the middle, outcomes should differ more. */
const OUTCOME_CONTRAST = 3;

function clampFair(fair: number): number {
  return Math.round(Math.min(MILLION - CLOSEST, Math.max(CLOSEST, fair)));
}

/** Normal distribution function after Abramowitz and Stegun 26.2.17; seven digits are more than enough for a demo price. */
function normalBelow(x: number): number {
  const t = 1 / (1 + 0.2316419 * Math.abs(x));
  const tail =
    t *
    (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429)))) *
    (Math.exp((-x * x) / 2) / Math.sqrt(2 * Math.PI));
  return x >= 0 ? 1 - tail : tail;
}
