// Provides one ordered stream of prices per asset, kept for twenty minutes and sent to subscribers.

import type { PriceSourceName } from '@presage/protocol';
import { Listeners } from '@presage/runtime';
import type { Log } from '../log/log.ts';
import { AssetFeed } from './asset-feed.ts';
import { HistoryFill } from './history-fill.ts';
import type { BoundaryUpdate, Price, PriceSource, Quote } from './ports.ts';
import { PriceHistory } from './price-history.ts';
import type { PriceRing } from './price-ring.ts';
import type { PythSource } from './pyth-source.ts';
import { isAhead } from './quote-rules.ts';

export interface PricesOptions {
  readonly assets: readonly { readonly asset: string; readonly ring: PriceRing; readonly prices: readonly Price[] }[];
  readonly allowsSimulated: boolean;
  /** Service time. */
  readonly nowMs: () => number;
  readonly wallMs: () => number;
  readonly log: Log;
}

interface AssetState {
  readonly feed: AssetFeed;
  readonly history: PriceHistory;
  readonly ring: PriceRing;
  readonly faults: Map<PriceSourceName, string>;
  publishing: Promise<void>;
  wasFresh: boolean;
}

/** The primary source, which also answers boundary prices and prices at past times. */
type Primary = Pick<PythSource, 'boundaryUpdate' | 'at'>;

const TICK_MS = 500;

export class Prices {
  readonly #options: PricesOptions;
  readonly #assets = new Map<string, AssetState>();
  readonly #listeners = new Listeners<[price: Price]>();
  #sources: readonly PriceSource[] = [];
  #primary: Primary | undefined;
  #past: HistoryFill | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: PricesOptions) {
    this.#options = options;
  }

  /** Starts with the given sources, in order of preference. */
  start(sources: readonly PriceSource[], primary?: Primary): void {
    this.#sources = sources;
    this.#primary = primary;
    this.#past = primary && this.#createFill(primary);
    const { allowsSimulated, nowMs, wallMs } = this.#options;
    for (const { asset, ring, prices } of this.#options.assets) {
      const history = new PriceHistory(prices.filter((price) => !isAhead(price, nowMs())));
      const names = sources.filter((source) => source.knows(asset)).map(({ name }) => name);
      const feed = new AssetFeed({ asset, sources: names, allowsSimulated, wallMs: wallMs(), last: history.last });
      const state = { feed, history, ring, faults: new Map(), publishing: Promise.resolve(), wasFresh: false };
      this.#assets.set(asset, state);
    }
    this.tick();
    this.#timer = setInterval(() => this.tick(), TICK_MS).unref();
  }

  has(asset: string): boolean {
    return this.#assets.has(asset);
  }

  last(asset: string): Price | undefined {
    return this.#assets.get(asset)?.history.last;
  }

  history(asset: string): Price[] {
    return this.#assets.get(asset)?.history.within(this.#options.nowMs()) ?? [];
  }

  /** Prices after the published one at `timeMs`; undefined if that one is no longer kept. */
  since(asset: string, timeMs: number): Price[] | undefined {
    return this.#assets.get(asset)?.history.since(timeMs, this.#options.nowMs());
  }

  sourceUrl({ asset, source }: Price): string {
    return this.#sources.find(({ name }) => name === source)?.urlOf(asset) ?? source;
  }

  subscribe(listener: (price: Price) => void): () => void {
    return this.#listeners.add(listener);
  }

  /** Whether any source gave a good price recently, in this run. */
  isFresh(asset: string): boolean {
    return this.#assets.get(asset)?.feed.isFresh(this.#options.wallMs()) ?? false;
  }

  /** Boundary price; undefined while there is none or the primary is unreachable: retry later. Never uses fallbacks. */
  async boundaryUpdate(asset: string, timeSeconds: number): Promise<BoundaryUpdate | undefined> {
    if (!this.#assets.has(asset)) return undefined;
    try {
      return await this.#primary?.boundaryUpdate(asset, timeSeconds, this.#options.allowsSimulated);
    } catch (error) {
      this.#options.log.warn(
        { asset, timeSeconds, error: String(error) },
        'boundary price request to the primary source failed',
      );
      return undefined;
    }
  }

  /** State of each asset's prices, for the operator. */
  states() {
    return [...this.#assets].map(([asset, { feed, history }]) => ({
      asset,
      isFresh: this.isFresh(asset),
      /** Age of the last price of this run; undefined before the first. */
      ageMs: feed.ageMs(this.#options.wallMs()),
      last: history.last,
    }));
  }

  gauges(): Record<string, { help: string; read: () => number }> {
    const ages = () => this.states().map(({ ageMs }) => (ageMs ?? Number.NaN) / 1_000);
    return {
      presage_price_age_seconds: {
        help: 'Time since the last price of the asset that has waited longest; NaN before the first',
        read: () => Math.max(...ages()),
      },
      presage_prices_stale: {
        help: 'Assets without a fresh price',
        read: () => this.states().filter(({ isFresh }) => !isFresh).length,
      },
    };
  }

  readonly take = (quote: Quote): void => {
    const state = this.#assets.get(quote.asset);
    if (state === undefined) return;
    const verdict = state.feed.offer(quote, { nowMs: this.#options.nowMs(), wallMs: this.#options.wallMs() });
    if ('price' in verdict) this.#publish(state, verdict.price);
    this.#noteFault(state, quote, 'fault' in verdict ? verdict.fault : undefined);
  };

  /** Connects needed sources, disconnects the others, reports changes of freshness. */
  tick(): void {
    const wallMs = this.#options.wallMs();
    const wanted = new Set([...this.#assets.values()].flatMap(({ feed }) => feed.wanted(wallMs)));
    for (const source of this.#sources) {
      if (wanted.has(source.name)) source.start();
      else source.stop();
    }
    for (const [asset, state] of this.#assets) this.#noteFreshness(asset, state);
    this.#past?.tick();
  }

  /** Resolves once all accepted prices are stored and published. */
  async flushed(): Promise<void> {
    for (const { publishing } of this.#assets.values()) await publishing;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#past?.close();
    for (const source of this.#sources) source.stop();
    await this.flushed();
    for (const { ring } of this.#options.assets) await ring.close();
  }

  #createFill(past: Primary): HistoryFill {
    const { allowsSimulated, nowMs, wallMs, log } = this.#options;
    return new HistoryFill({
      nowMs,
      wallMs,
      ask: (timeSeconds) => past.at(timeSeconds, allowsSimulated),
      isMissing: (fromMs, toMs) => [...this.#assets.values()].some(({ history }) => !history.hasBetween(fromMs, toMs)),
      keep: (prices) => this.#keepPast(prices),
      onTrouble: (error) => log.info({ error: String(error) }, 'price history request to the primary source failed'),
    });
  }

  /** Adds older prices to the history; subscribers get only new ones. */
  async #keepPast(prices: readonly Price[]): Promise<void> {
    for (const price of prices) {
      const state = this.#assets.get(price.asset);
      const second = price.timeMs - (price.timeMs % 1_000);
      if (state === undefined || state.history.hasBetween(second, second + 1_000)) continue;
      state.history.insert([price]);
      await state.ring.write(price).catch(() => undefined);
    }
  }

  /** Publishes a price. Stores it first, so that a reader who resumes after a restart finds everything it was sent. */
  #publish(state: AssetState, price: Price): void {
    state.publishing = state.publishing.then(async () => {
      await state.ring.write(price).catch((error: unknown) => {
        this.#options.log.warn({ asset: price.asset, error: String(error) }, 'price could not be stored');
      });
      state.history.push(price);
      this.#noteFreshness(price.asset, state);
      this.#listeners.call(price);
    });
  }

  #noteFreshness(asset: string, state: AssetState): void {
    const isFresh = this.isFresh(asset);
    if (isFresh === state.wasFresh) return;
    state.wasFresh = isFresh;
    if (isFresh) this.#past?.refill();
    this.#options.log.info({ asset, isFresh }, isFresh ? 'prices are fresh' : 'prices are stale');
  }

  /** Logs a fault when its kind changes, since a broken source fails many times a second. */
  #noteFault(state: AssetState, { asset, source, price }: Quote, fault: string | undefined): void {
    if (fault === 'not_needed' || fault === 'out_of_order') return;
    const previous = state.faults.get(source);
    if (fault === undefined) state.faults.delete(source);
    else state.faults.set(source, fault);
    if (fault !== undefined && fault !== previous)
      this.#options.log.warn({ asset, source, price, fault }, 'price rejected');
  }
}
