// The quick markets of one chain as everybody reads them: which window is active, which there were, whether they are priced.
import type { MarketId, QuickWindow } from '@presage/protocol';
import { Listeners } from '@presage/runtime';
import type { ChainContext } from '../chains/chain-context.ts';
import type { Prices } from '../prices/prices.ts';
import type { QuickLedger } from './quick-ledger.ts';
import type { QuickAsset } from './window-step.ts';

export type QuickPrices = Pick<Prices, 'boundaryUpdate' | 'isFresh'>;

export interface QuickMarketsOptions {
  readonly assets: readonly QuickAsset[];
  /** Follows the partition of the chain. */
  readonly ledger: QuickLedger;
  readonly prices: QuickPrices;
}

const POLL_MS = 200;

export class QuickMarkets {
  readonly #context: ChainContext;
  readonly #options: QuickMarketsOptions;
  readonly #listeners = new Listeners<[asset: string]>();
  /** The start of the active window that was published last, by asset; null if there is none. */
  readonly #published = new Map<string, number | null>();
  #timer: NodeJS.Timeout | undefined;

  constructor(context: ChainContext, options: QuickMarketsOptions) {
    this.#context = context;
    this.#options = options;
  }

  /** The window of an asset that can be traded now. */
  active(asset: string): QuickWindow | undefined {
    const { clock, reads } = this.#context;
    const window = this.#options.ledger.active(asset, clock.nowSeconds());
    return window && reads.market(window.creation.marketId) ? window : undefined;
  }

  /** Called when an asset's active window is another one, or none any more; and once for each asset at the start. */
  onActiveChange(listener: (asset: string) => void): void {
    this.#listeners.add(listener);
  }

  /** Every window that was opened, newest first. */
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
