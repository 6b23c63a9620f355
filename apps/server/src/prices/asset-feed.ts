// Merges several sources into one asset's ordered prices: selects the source, decides which are connected, judges freshness. Pure.
import { PRICE_SOURCES, type PriceSourceName } from '@presage/protocol';
import { type Price, type Quote, toPrice } from './ports.ts';
import { judgeQuote, type QuoteFault } from './quote-rules.ts';

const FEED_TIMES = {
  /** Silence after which a source is skipped. Real sources publish at least every second. */
  stallMs: 5_000,
  /** Silence after which the next source is connected; earlier, because connecting takes time. */
  standbyMs: 3_000,
  /** Time for which a fallback stays connected after a better source has recovered, which may fail again. */
  lingerMs: 30_000,
  /** Time without a good price after which the asset is stale. Longer than switching to a fallback. */
  freshMs: 15_000,
} as const;

export interface AssetFeedOptions {
  readonly asset: string;
  /** Sources that list the asset, in order of preference. */
  readonly sources: readonly PriceSourceName[];
  readonly allowsSimulated: boolean;
  /** Wall time of the start. */
  readonly wallMs: number;
  /** Last price of the previous run; new prices must be later. */
  readonly last: Price | undefined;
}

/** A moment on both clocks: service time judges quotes; wall time, which time travel does not move, judges silence. */
export interface Instant {
  readonly nowMs: number;
  readonly wallMs: number;
}

interface SourceState {
  goodAtMs: number;
  neededAtMs: number;
  good: Price | undefined;
}

export type Verdict = { readonly price: Price } | { readonly fault: QuoteFault | 'not_needed' };

export class AssetFeed {
  readonly #options: AssetFeedOptions;
  readonly #states: ReadonlyMap<PriceSourceName, SourceState>;
  #last: Price | undefined;
  #lastAtMs: number | undefined;

  constructor(options: AssetFeedOptions) {
    this.#options = options;
    this.#last = options.last;
    const initial = () => ({ goodAtMs: options.wallMs, neededAtMs: Number.NEGATIVE_INFINITY, good: undefined });
    this.#states = new Map(options.sources.map((name) => [name, initial()]));
  }

  /** Wall time since the last price of this run; undefined before the first. */
  ageMs(wallMs: number): number | undefined {
    return this.#lastAtMs === undefined ? undefined : wallMs - this.#lastAtMs;
  }

  isFresh(wallMs: number): boolean {
    // Absolute: the age is negative if the wall clock was set back, and every new price is then rejected as ahead of it.
    return Math.abs(this.ageMs(wallMs) ?? Number.POSITIVE_INFINITY) <= FEED_TIMES.freshMs;
  }

  /** Judges a quote: the price to publish, or the reason for none. */
  offer(quote: Quote, moment: Instant): Verdict {
    const state = this.#states.get(quote.source);
    if (state === undefined) return { fault: 'not_needed' };
    const fault = judgeQuote(quote, {
      nowMs: moment.nowMs,
      previous: state.good,
      primary: this.#states.get(PRICE_SOURCES[0])?.good,
      allowsSimulated: this.#options.allowsSimulated,
    });
    if (fault !== undefined) return { fault };
    const price = toPrice(quote);
    state.good = price;
    state.goodAtMs = moment.wallMs;
    if (!this.#isDue(price, moment.wallMs)) return { fault: 'not_needed' };
    this.#last = price;
    this.#lastAtMs = moment.wallMs;
    return { price };
  }

  /** Sources that should be connected now. */
  wanted(wallMs: number): PriceSourceName[] {
    let allAreSilent = true;
    const wanted: PriceSourceName[] = [];
    for (const [name, state] of this.#states) {
      if (allAreSilent) state.neededAtMs = wallMs;
      if (wallMs - state.neededAtMs <= FEED_TIMES.lingerMs) wanted.push(name);
      allAreSilent &&= wallMs - state.goodAtMs >= FEED_TIMES.standbyMs;
    }
    return wanted;
  }

  /** Whether to publish a price: only a later one, at most one a second, and only while better sources are silent. */
  #isDue(price: Price, wallMs: number): boolean {
    if (this.#last !== undefined && toSecond(price) <= toSecond(this.#last)) return false;
    for (const [name, { goodAtMs }] of this.#states) {
      if (name === price.source) return true;
      if (wallMs - goodAtMs < FEED_TIMES.stallMs) return false;
    }
    return true;
  }
}

function toSecond({ timeMs }: Price): number {
  return Math.floor(timeMs / 1_000);
}
