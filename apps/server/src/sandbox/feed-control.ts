// Controls the sandbox's simulated feed: prices set by hand, which are journalled and sent again to a restarted feed.
import {
  type JournalRecord,
  PRICE_DECIMALS,
  PresageError,
  type PricePinned,
  parseAsset,
  toPriceUsd,
} from '@presage/protocol';
import { messageOf, poll, SerialQueue } from '@presage/runtime';
import type { PriceConfig } from '../config/price-config.ts';
import type { Prices } from '../prices/prices.ts';

const TIMEOUT_MS = 5_000;
/** Wait for a pinned price to be published. The feed publishes every second; if it takes longer it is stalled, and the pin still set. */
const SHOWN = { timeoutMs: 3_000, pollMs: 20 };

export class FeedControl {
  readonly #config: PriceConfig;
  readonly #nowMs: () => number;
  readonly #journal: (record: PricePinned) => Promise<void>;
  readonly #pins: PricePinned[] = [];
  /** Serializes requests: a new pin must not overtake the list of all earlier pins. */
  readonly #queue = new SerialQueue();

  /** `journal` resolves once the record is durable. */
  constructor(config: PriceConfig, nowMs: () => number, journal: (record: PricePinned) => Promise<void>) {
    this.#config = config;
    this.#nowMs = nowMs;
    this.#journal = journal;
  }

  /** Applies a durable record of the control partition. */
  follow(record: JournalRecord): void {
    if (record.type === 'price-pinned') this.#pins.push(record);
  }

  /** Sends all pins to the feed: a restarted one knows none, and publishes nothing until it has them. */
  sendPins(): Promise<void> {
    return this.#queue.run(async () => {
      const pins = this.#pins.flatMap(({ asset, from, price }) => {
        const feeds = this.#config.assets.find((each) => each.asset === asset);
        return feeds === undefined ? [] : [{ feedId: feeds.pyth, from, price }];
      });
      await this.#send('PUT', '/sandbox/pins', pins);
    });
  }

  /** Pins a price from the first unpublished second on; null lets it follow the simulated market again. */
  #pin(asset: string, price: number | null): Promise<number> {
    return this.#queue.run(async () => {
      const feedId = this.#config.assets.find((each) => each.asset === asset)?.pyth;
      const { from } = await this.#send<{ from: number }>('POST', '/sandbox/pins', { feedId, price });
      await this.#journal({ type: 'price-pinned', timeMs: this.#nowMs(), asset, from, price });
      return from;
    });
  }

  /** Pins a price; resolves when it is durable and, if the feed is running, published. */
  async pin(prices: Pick<Prices, 'has' | 'last'>, symbol: string, priceUsd: number | null) {
    const asset = parseAsset(symbol);
    if (asset === undefined || !prices.has(asset)) throw new PresageError('asset_not_supported', { asset: symbol });
    // Converts the decimal text, because multiplying doubles is not exact.
    const price = priceUsd === null ? null : Number(priceUsd.toFixed(PRICE_DECIMALS).replace('.', ''));
    const from = await this.#pin(asset, price);
    await poll(() => (prices.last(asset)?.timeMs ?? 0) >= from * 1_000, SHOWN);
    return { asset, price, priceUSD: price === null ? null : toPriceUsd(price), priceDecimals: PRICE_DECIMALS, from };
  }

  async setOracle(oracle: 'normal' | 'stalled'): Promise<void> {
    await this.#send('PUT', '/sandbox/oracle', { oracle });
  }

  /** State of the feed; an unreachable one counts as stalled, since it gives no prices either. */
  async oracle(): Promise<'normal' | 'stalled'> {
    try {
      return (await this.#send<{ oracle: 'normal' | 'stalled' }>('GET', '/sandbox/oracle')).oracle;
    } catch {
      return 'stalled';
    }
  }

  /** Calls the feed. It is our own program, so an answer's type follows from the path and is not checked. */
  async #send<T = unknown>(method: string, path: string, body?: unknown): Promise<T> {
    const { pythUrl: url } = this.#config;
    if (url === undefined) throw new PresageError('price_unavailable', { reason: 'there is no price feed' });
    try {
      const signal = AbortSignal.timeout(TIMEOUT_MS);
      const response = await fetch(url + path, {
        method,
        signal,
        body: body === undefined ? null : JSON.stringify(body),
      });
      if (response.ok) return await response.json();
      throw new Error(`${response.status} ${await response.text()}`);
    } catch (error) {
      throw new PresageError('price_unavailable', { reason: `the price feed: ${messageOf(error)}` });
    }
  }
}
