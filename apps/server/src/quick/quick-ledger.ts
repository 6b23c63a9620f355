// Windows according to durable records: all unfinished ones, and the newest finished ones of each asset.
import { LIMITS, type MarketId, type QuickMarketChanged, type QuickWindow } from '@presage/protocol';
import { endOf, isFinal, windowAt } from './window-step.ts';

/** Finished windows kept per asset: more than the history shows, since some in between were never opened. */
const KEPT_PER_ASSET = 2 * LIMITS.quickMarketHistory;

export class QuickLedger {
  readonly #byAsset = new Map<string, Map<number, QuickWindow>>();
  readonly #assetOf = new Map<MarketId, string>();
  #lastId = 0;

  constructor(records: Iterable<QuickMarketChanged> = []) {
    for (const record of records) this.follow(record);
  }

  follow({ window }: QuickMarketChanged): void {
    const windows = this.#byAsset.get(window.asset) ?? new Map<number, QuickWindow>();
    this.#byAsset.set(window.asset, windows);
    windows.set(window.startTime, window);
    this.#assetOf.set(window.creation.marketId, window.asset);
    this.#lastId = Math.max(this.#lastId, window.id ?? 0);
    if (windows.size > KEPT_PER_ASSET) this.#forgetOldest(windows);
  }

  /** Highest id ever given, even if its window has been removed. */
  get lastId(): number {
    return this.#lastId;
  }

  raiseId(id: number): void {
    this.#lastId = Math.max(this.#lastId, id);
  }

  /** Records that restore this state, except the highest id. */
  records(): QuickMarketChanged[] {
    const windows = [...this.#byAsset.values()].flatMap((each) => [...each.values()]);
    return windows.map((window) => ({ type: 'quick-market-changed', timeMs: 0, window }));
  }

  find(asset: string, startTime: number): QuickWindow | undefined {
    return this.#byAsset.get(asset)?.get(startTime);
  }

  assetOf(marketId: MarketId): string | undefined {
    return this.#assetOf.get(marketId);
  }

  /** Whether the market was open and then left the chain for good. */
  isGone(marketId: MarketId): boolean {
    const windows = this.#byAsset.get(this.#assetOf.get(marketId) ?? '')?.values() ?? [];
    const window = [...windows].find(({ creation }) => creation.marketId === marketId);
    return window?.stage === 'skipped' && window.id !== undefined;
  }

  unfinished(): QuickWindow[] {
    return [...this.#byAsset.values()].flatMap((windows) => [...windows.values()].filter((each) => !isFinal(each)));
  }

  /** Settled windows that ended at that second or later. */
  settledSince(second: number): QuickWindow[] {
    const isRecent = ({ stage, startTime }: QuickWindow) => stage === 'settled' && endOf(startTime) >= second;
    return [...this.#byAsset.values()].flatMap((windows) => [...windows.values()].filter(isRecent));
  }

  /** The current window, if it is opened. */
  active(asset: string, nowSeconds: number): QuickWindow | undefined {
    const window = this.find(asset, windowAt(nowSeconds));
    return window?.id === undefined ? undefined : window;
  }

  /** Opened windows, newest first. */
  opened(asset: string): QuickWindow[] {
    const windows = [...(this.#byAsset.get(asset)?.values() ?? [])];
    return windows.filter(({ id }) => id !== undefined).sort((a, b) => b.startTime - a.startTime);
  }

  #forgetOldest(windows: Map<number, QuickWindow>): void {
    const oldest = [...windows.values()].filter(isFinal).sort((a, b) => a.startTime - b.startTime)[0];
    if (oldest === undefined) return;
    windows.delete(oldest.startTime);
    this.#assetOf.delete(oldest.creation.marketId);
  }
}

/** Ids of opened windows: one sequence for all chains, so that none is given twice. */
export class QuickIds {
  #last = 0;

  /** Excludes all ids up to this one. */
  raise(id: number): void {
    this.#last = Math.max(this.#last, id);
  }

  /** Takes the next id, synchronously, so that two windows that open together never share one. */
  take(): number {
    return ++this.#last;
  }
}
