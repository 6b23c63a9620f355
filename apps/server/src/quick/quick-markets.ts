// Read side of one chain's quick markets: the active window, past windows, and whether they are priced.
import type { MarketId, QuickWindow } from '@presage/protocol';
import { Listeners } from '@presage/runtime';
import type { ChainContext } from '../chains/chain-context.ts';
import type { Prices } from '../prices/prices.ts';
import type { QuickLedger } from './quick-ledger.ts';
import type { QuickAsset } from './window-step.ts';

export type QuickPrices = Pick<Prices, 'boundaryUpdate' | 'isFresh'>;

export interface QuickMarketsOptions {
  readonly assets: readonly QuickAsset[];
  /** Ledger that follows the chain's partition. */
  readonly ledger: QuickLedger;
  readonly prices: QuickPrices;
}

const POLL_MS = 200;

export class QuickMarkets {
  readonly #context: ChainContext;
  readonly #options: QuickMarketsOptions;
  readonly #listeners = new Listeners<[asset: string]>();
  /** Start of the active window last published, by asset; null if there is none. */
  readonly #published = new Map<string, number | null>();
  #timer: NodeJS.Timeout | undefined;

  constructor(context: ChainContext, options: QuickMarketsOptions) {
    this.#context = context;
    this.#options = options;
  }

  /** The asset's window that can be traded now. */
  active(asset: string): QuickWindow | undefined {
    const { clock, reads } = this.#context;
    const window = this.#options.ledger.active(asset, clock.nowSeconds());
    return window && reads.market(window.creation.marketId) ? window : undefined;
  }

  /** Calls the listener when an asset's active window changes or ends, and once per asset at the start. */
  onActiveChange(listener: (asset: string) => void): void {
    this.#listeners.add(listener);
  }

  /** All opened windows, newest first. */
  opened(asset: string): QuickWindow[] {
    return this.#options.ledger.opened(asset);
  }

  /** Whether a quick market's price is known well enough to trade on. */
  isPriced(marketId: MarketId): boolean {
    const { ledger, prices } = this.#options;
    const asset = ledger.assetOf(marketId);
    return asset !== undefined && prices.isFresh(asset);
  }

  start(): void {
    this.#timer = setInterval(() => this.#publish(), POLL_MS);
    this.#publish();
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #publish(): void {
    for (const { asset } of this.#options.assets) {
      const active = this.active(asset)?.startTime ?? null;
      if (this.#published.get(asset) === active) continue;
      this.#published.set(asset, active);
      this.#listeners.call(asset);
    }
  }
}
