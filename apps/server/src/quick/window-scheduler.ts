// Runs the next step of every window that needs one.
import { isRpcFailure } from '@presage/chain';
import type { QuickWindow } from '@presage/protocol';
import { backoffMs } from '@presage/runtime';
import type { ChainContext } from '../chains/chain-context.ts';
import type { QuickLedger } from './quick-ledger.ts';
import type { WindowRunner, WindowTask } from './window-runner.ts';
import { type QuickAsset, type Search, wantedWindows } from './window-step.ts';

export interface WindowSchedulerOptions {
  readonly assets: readonly QuickAsset[];
  readonly ledger: QuickLedger;
  readonly runner: WindowRunner;
}

/** State of a window in this run of the service; none of it needs to survive. */
interface WindowState {
  isBusy: boolean;
  /** Monotonic time until which the window is left alone. */
  restUntilMs: number;
  failures: number;
  search: Search | undefined;
  stage: QuickWindow['stage'] | undefined;
}

const POLL_MS = 200;
/** Pause between searches for a boundary price, which is available after about a second; more searches bring nothing. */
const SEARCH_PAUSE_MS = 500;
/** Misses after which the pause doubles, since a primary may be unreachable for hours. */
const MISSES_PER_PAUSE = 60;
const MAX_PAUSE_MS = 30_000;

export class WindowScheduler {
  readonly #context: ChainContext;
  readonly #options: WindowSchedulerOptions;
  readonly #windowStates = new Map<string, WindowState>();
  readonly #work = new Set<Promise<void>>();
  #timer: NodeJS.Timeout | undefined;

  constructor(context: ChainContext, options: WindowSchedulerOptions) {
    this.#context = context;
    this.#options = options;
  }

  /** Whether no price is on its way to the chain. */
  get isQuiet(): boolean {
    return this.#options.ledger.unfinished().every(({ stage }) => stage === 'created' || stage === 'open');
  }

  start(): void {
    this.#timer = setInterval(() => this.#runAll(), POLL_MS);
    this.#runAll();
  }

  /** Stops after the steps in progress; the next start resumes from the journal. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#timer = undefined;
    await Promise.all(this.#work);
  }

  #runAll(): void {
    const tasks = this.#tasks();
    for (const name of this.#windowStates.keys()) if (!tasks.has(name)) this.#windowStates.delete(name);
    for (const [name, task] of tasks) this.#runTask(name, task);
  }

  /** Windows due by time, and all unfinished ones, even of assets no longer configured. */
  #tasks(): Map<string, WindowTask> {
    const { assets, ledger } = this.#options;
    const { clock, identity } = this.#context;
    const now = clock.nowSeconds();
    const starts = wantedWindows(now);
    const tasks = new Map<string, WindowTask>();
    // Settled windows are followed for the settlement grace, in which a reorganization may still remove their market.
    const followed = [...ledger.unfinished(), ...ledger.settledSince(now - identity.settlementGraceSeconds)];
    for (const { asset, startTime } of followed) tasks.set(`${asset}-${startTime}`, { asset, startTime });
    for (const { asset, feedId } of assets) {
      for (const startTime of starts) tasks.set(`${asset}-${startTime}`, { asset, startTime, feedId });
    }
    return tasks;
  }

  #runTask(name: string, task: WindowTask): void {
    const windowState = this.#windowStateOf(name, task);
    if (windowState.isBusy || performance.now() < windowState.restUntilMs) return;
    windowState.isBusy = true;
    const work = this.#run(name, task, windowState).finally(() => {
      windowState.isBusy = false;
      this.#work.delete(work);
    });
    this.#work.add(work);
  }

  /** State of a window; reset at each new stage, since a search is for the price of one stage. */
  #windowStateOf(name: string, { asset, startTime }: WindowTask): WindowState {
    const stage = this.#options.ledger.find(asset, startTime)?.stage;
    const known = this.#windowStates.get(name);
    if (known !== undefined && (known.isBusy || known.stage === stage)) return known;
    const fresh = { isBusy: false, restUntilMs: 0, failures: 0, search: undefined, stage };
    this.#windowStates.set(name, fresh);
    return fresh;
  }

  async #run(name: string, task: WindowTask, windowState: WindowState): Promise<void> {
    try {
      const outcome = await this.#options.runner.run(task, windowState.search);
      windowState.failures = 0;
      if (outcome === 'no-price') this.#miss(windowState);
    } catch (error) {
      this.#onTrouble(name, windowState, error);
    }
  }

  #miss(windowState: WindowState): void {
    const { misses, since } = windowState.search ?? { misses: 0, since: this.#context.clock.nowSeconds() };
    windowState.search = { misses: misses + 1, since };
    const range = { firstMs: SEARCH_PAUSE_MS, longestMs: MAX_PAUSE_MS };
    windowState.restUntilMs = performance.now() + backoffMs(range, Math.floor(misses / MISSES_PER_PAUSE));
  }

  #onTrouble(name: string, windowState: WindowState, error: unknown): void {
    if (this.#timer === undefined) return;
    windowState.failures++;
    const pauseMs = backoffMs({ firstMs: POLL_MS, longestMs: MAX_PAUSE_MS }, windowState.failures);
    windowState.restUntilMs = performance.now() + pauseMs;
    // An unreachable chain is reported elsewhere. A refusal is logged when it begins, and again while the pause is at its longest.
    const isWorthALine = !isRpcFailure(error) && (windowState.failures === 1 || pauseMs === MAX_PAUSE_MS);
    if (isWorthALine)
      this.#context.log.warn({ window: name, error: String(error) }, 'quick market step failed; retrying');
  }
}
