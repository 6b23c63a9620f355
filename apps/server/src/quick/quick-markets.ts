// The quick markets: attends every window that may need something, and answers what stands.
import { isRpcFailure } from '@presage/chain';
import type { MarketId, QuickWindow } from '@presage/protocol';
import type { QuickAsset, QuickListings, QuickLog, QuickPrices } from './ports.ts';
import type { QuickLedger } from './quick-ledger.ts';
import { wantedWindows } from './schedule.ts';
import type { Duty, WindowRunner } from './window-runner.ts';
import type { Search } from './window-step.ts';

export interface QuickMarketsOptions {
  readonly assets: readonly QuickAsset[];
  readonly ledger: QuickLedger;
  readonly runner: WindowRunner;
  readonly prices: QuickPrices;
  readonly listings: QuickListings;
  readonly clock: { nowSeconds(): number };
  readonly log: QuickLog;
}

/** What this run of the service remembers of a window; nothing of it needs to survive. */
interface Attendance {
  isBusy: boolean;
  /** On the monotonic clock: until then it is left alone. */
  restUntilMs: number;
  failures: number;
  search: Search | undefined;
  stage: QuickWindow['stage'] | undefined;
}

const POLL_MS = 200;
/** A boundary price is a second old when it can be had; asking more often brings nothing. */
const SEARCH_PAUSE_MS = 500;
/** Twice as long after every so many: a primary may be away for hours. */
const MISSES_PER_PAUSE = 60;
const MAX_PAUSE_MS = 30_000;

export class QuickMarkets {
  readonly #options: QuickMarketsOptions;
  readonly #attendances = new Map<string, Attendance>();
  readonly #listeners: ((asset: string) => void)[] = [];
  /** By asset, the window that was told last; null is none. */
  readonly #told = new Map<string, number | null>();
  readonly #work = new Set<Promise<void>>();
  #timer: NodeJS.Timeout | undefined;

  constructor(options: QuickMarketsOptions) {
    this.#options = options;
  }

  /** The window of an asset that can be traded now. */
  active(asset: string): QuickWindow | undefined {
    const { ledger, clock, listings } = this.#options;
    const window = ledger.active(asset, clock.nowSeconds());
    return window && listings.isListed(window.creation.marketId) ? window : undefined;
  }

  /** Told when an asset's active window is another one, or none any more; and once for each asset at the start. */
  onActiveChange(listener: (asset: string) => void): void {
    this.#listeners.push(listener);
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

  /** No price is on its way to the chain. */
  get isQuiet(): boolean {
    return this.#options.ledger.unfinished().every(({ stage }) => stage === 'created' || stage === 'open');
  }

  start(): void {
    this.#timer = setInterval(() => this.#attendAll(), POLL_MS);
    this.#attendAll();
  }

  /** Stops after the steps under way; the rest goes on from the journal next time. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#timer = undefined;
    await Promise.all(this.#work);
  }

  #attendAll(): void {
    const duties = this.#duties();
    for (const name of this.#attendances.keys()) if (!duties.has(name)) this.#attendances.delete(name);
    for (const [name, duty] of duties) this.#attend(name, duty);
    for (const { asset } of this.#options.assets) this.#tell(asset);
  }

  #tell(asset: string): void {
    const active = this.active(asset)?.startTime ?? null;
    if (this.#told.get(asset) === active) return;
    this.#told.set(asset, active);
    for (const listener of this.#listeners) listener(asset);
  }

  /** What time asks for, and everything begun: also of assets that are configured no longer. */
  #duties(): Map<string, Duty> {
    const { assets, ledger, clock } = this.#options;
    const starts = wantedWindows(clock.nowSeconds());
    const duties = new Map<string, Duty>();
    for (const { asset, startTime } of ledger.unfinished()) duties.set(`${asset}-${startTime}`, { asset, startTime });
    for (const { asset, feedId } of assets) {
      for (const startTime of starts) duties.set(`${asset}-${startTime}`, { asset, startTime, feedId });
    }
    return duties;
  }

  #attend(name: string, duty: Duty): void {
    const attendance = this.#attendanceOf(name, duty);
    if (attendance.isBusy || performance.now() < attendance.restUntilMs) return;
    attendance.isBusy = true;
    const work = this.#run(name, duty, attendance).finally(() => {
      attendance.isBusy = false;
      this.#work.delete(work);
    });
    this.#work.add(work);
  }

  /** A search is for the price of one stage: the next begins anew. */
  #attendanceOf(name: string, { asset, startTime }: Duty): Attendance {
    const stage = this.#options.ledger.find(asset, startTime)?.stage;
    const known = this.#attendances.get(name);
    if (known !== undefined && (known.isBusy || known.stage === stage)) return known;
    const fresh = { isBusy: false, restUntilMs: 0, failures: 0, search: undefined, stage };
    this.#attendances.set(name, fresh);
    return fresh;
  }

  async #run(name: string, duty: Duty, attendance: Attendance): Promise<void> {
    try {
      const outcome = await this.#options.runner.run(duty, attendance.search);
      attendance.failures = 0;
      if (outcome === 'no-price') this.#miss(attendance);
    } catch (error) {
      this.#onTrouble(name, attendance, error);
    }
  }

  #miss(attendance: Attendance): void {
    const { misses, since } = attendance.search ?? { misses: 0, since: this.#options.clock.nowSeconds() };
    attendance.search = { misses: misses + 1, since };
    const pauseMs = SEARCH_PAUSE_MS * 2 ** Math.floor(misses / MISSES_PER_PAUSE);
    attendance.restUntilMs = performance.now() + Math.min(pauseMs, MAX_PAUSE_MS);
  }

  #onTrouble(name: string, attendance: Attendance, error: unknown): void {
    if (this.#timer === undefined) return;
    attendance.failures++;
    const pauseMs = Math.min(POLL_MS * 2 ** attendance.failures, MAX_PAUSE_MS);
    attendance.restUntilMs = performance.now() + pauseMs;
    // A chain that is away is told elsewhere; what the chain refuses, once when it begins and once when it lasts.
    const isTold = !isRpcFailure(error) && (attendance.failures === 1 || pauseMs === MAX_PAUSE_MS);
    if (isTold) this.#options.log.warn({ window: name, error: String(error) }, 'a quick market could not go on');
  }
}
