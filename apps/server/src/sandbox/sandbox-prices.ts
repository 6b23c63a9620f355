// What the sandbox lets anybody do to prices: set one by hand, or stop them all.
import { PRICE_DECIMALS, PresageError, parseAsset, toPriceUsd } from '@presage/protocol';
import { poll } from '@presage/runtime';
import type { Price } from '../prices/ports.ts';
import type { FeedControl } from './feed-control.ts';

export interface SandboxPricesOptions {
  readonly control: FeedControl;
  readonly prices: { has(asset: string): boolean; last(asset: string): Price | undefined };
}

/** The feed publishes every second; after this time it is stalled, and the price is set anyway. */
const SHOWN_TIMEOUT_MS = 3_000;
const POLL_MS = 20;

export class SandboxPrices {
  readonly #options: SandboxPricesOptions;

  constructor(options: SandboxPricesOptions) {
    this.#options = options;
  }

  /** Resolves when the price is durable and, if the feed is running, shown. */
  async pin(symbol: string, priceUsd: number | null) {
    const { control, prices } = this.#options;
    const asset = parseAsset(symbol);
    if (asset === undefined || !prices.has(asset)) throw new PresageError('asset_not_supported', { asset: symbol });
    const price = priceUsd === null ? null : toExact(priceUsd);
    const from = await control.pin(asset, price);
    await poll(() => this.#isShown(asset, from), { timeoutMs: SHOWN_TIMEOUT_MS, pollMs: POLL_MS });
    return { asset, price, priceUSD: price === null ? null : toPriceUsd(price), priceDecimals: PRICE_DECIMALS, from };
  }

  #isShown(asset: string, from: number): boolean {
    return (this.#options.prices.last(asset)?.timeMs ?? 0) >= from * 1_000;
  }
}

/** Converts the decimal text, because multiplying doubles is not exact. */
function toExact(priceUsd: number): number {
  return Number(priceUsd.toFixed(PRICE_DECIMALS).replace('.', ''));
}
