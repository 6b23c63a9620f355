// The windows according to durable records: those under way, and of each asset the newest that are over.
import { LIMITS, type MarketId, type QuickMarketChanged, type QuickWindow } from '@presage/protocol';
import { endOf, isFinal, windowAt } from './window-step.ts';

/** Beyond what the history shows: windows that were never opened stand between those it does. */
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

  /** The highest ever given: the window that has it may be removed. */
  get lastId(): number {
    return this.#lastId;
  }

  raiseId(id: number): void {
    this.#lastId = Math.max(this.#lastId, id);
  }

  /** Records that say the same as all that were followed, but for the highest id. */
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

  /** Settled, and over since that second or later. */
  settledSince(second: number): QuickWindow[] {
    const isRecent = ({ stage, startTime }: QuickWindow) => stage === 'settled' && endOf(startTime) >= second;
    return [...this.#byAsset.values()].flatMap((windows) => [...windows.values()].filter(isRecent));
  }

  /** Struck, and not over. */
  active(asset: string, nowSeconds: number): QuickWindow | undefined {
    const window = this.find(asset, windowAt(nowSeconds));
    return window?.id === undefined ? undefined : window;
  }

  /** Newest first. */
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

/** The numbers of the windows that were opened: one sequence for all chains, so that none is given twice. */
export class QuickIds {
  #last = 0;

  /** No number up to this one is given any more. */
  raise(id: number): void {
    this.#last = Math.max(this.#last, id);
  }

  /** Taken at once, so that two windows that open together never share it. */
  take(): number {
    return ++this.#last;
  }
}
