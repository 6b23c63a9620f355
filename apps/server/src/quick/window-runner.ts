// Executes one step of one window; every step is journalled before the next is decided.
import type { BoundaryEvidence, Hex, QuickMarketChanged, QuickStage, QuickWindow } from '@presage/protocol';
import type { ChainContext } from '../chains/chain-context.ts';
import type { BoundaryUpdate } from '../prices/ports.ts';
import { ChainRefused, type QuickChain } from './quick-chain.ts';
import { type StruckWindow, toMarketFacts } from './quick-facts.ts';
import type { QuickIds, QuickLedger } from './quick-ledger.ts';
import type { QuickPrices } from './quick-markets.ts';
import { decideStep, endOf, type Search, VOID_AFTER_SECONDS } from './window-step.ts';

export interface QuickJournal {
  /** Appends a record; resolves when it is durable and in the ledger. */
  append(record: QuickMarketChanged): Promise<void>;
}

export interface WindowRunnerOptions {
  readonly ledger: QuickLedger;
  readonly ids: QuickIds;
  readonly chain: QuickChain;
  readonly prices: QuickPrices;
  readonly journal: QuickJournal;
  /** Called when a market was listed. */
  readonly onListed: () => void;
}

/** A window that may need a step. */
export interface WindowTask {
  readonly asset: string;
  readonly startTime: number;
  /** Feed of the asset; undefined if it is no longer configured, so that no new window is created. */
  readonly feedId?: Hex;
}

export class WindowRunner {
  readonly #context: ChainContext;
  readonly #options: WindowRunnerOptions;

  constructor(context: ChainContext, options: WindowRunnerOptions) {
    this.#context = context;
    this.#options = options;
  }

  /** Runs the window's next step; returns `no-price` if that waits for a missing price. */
  async run(task: WindowTask, search: Search | undefined): Promise<'done' | 'no-price'> {
    const { asset, startTime } = task;
    const window = this.#options.ledger.find(asset, startTime);
    const step = decideStep({ startTime, nowSeconds: this.#nowSeconds, window, search });
    if (window === undefined) {
      if (step === 'create') await this.#create(task);
      return 'done';
    }
    if (window.stage !== 'skipped' && (await this.#isGone(window))) {
      this.#context.log.error({ asset, startTime }, 'quick market left the chain with its block; its trades are void');
      await this.#save({ ...window, stage: 'skipped' });
      return 'done';
    }
    if (isStruck(window)) await this.#list(window);
    switch (step) {
      case 'find-start':
        return this.#find(window, startTime);
      case 'find-end':
        return this.#find(window, endOf(startTime));
      case 'strike':
        await this.#strike(window);
        break;
      case 'resolve':
        await this.#resolve(window);
        break;
      case 'void':
        if (await this.#options.chain.settle(window, undefined)) await this.#save({ ...window, stage: 'settled' });
        break;
      case 'skip':
        await this.#save({ ...window, stage: 'skipped' });
        break;
      case 'give-up-end':
        await this.#save({ ...window, stage: 'voiding' });
    }
    return 'done';
  }

  async #create({ asset, startTime, feedId }: WindowTask): Promise<void> {
    if (feedId === undefined) return;
    const creation = await this.#options.chain.create({ asset, feedId }, startTime);
    if (creation !== undefined) await this.#save({ asset, startTime, stage: 'created', creation });
  }

  /** Whether the market is gone for good: only after its window, since before it could still be created again. */
  async #isGone(window: QuickWindow): Promise<boolean> {
    return this.#nowSeconds >= endOf(window.startTime) && this.#options.chain.hasVanished(window);
  }

  async #find(window: QuickWindow, boundary: number): Promise<'done' | 'no-price'> {
    const update = await this.#options.prices.boundaryUpdate(window.asset, boundary);
    if (update === undefined) return 'no-price';
    const evidence = toEvidence(update);
    if (window.start === undefined) await this.#save({ ...window, stage: 'striking', start: evidence });
    else await this.#save({ ...window, stage: 'resolving', end: evidence });
    return 'done';
  }

  /** Opens a window for trading, once its start price is on chain and in the journal. */
  async #strike(window: QuickWindow): Promise<void> {
    const { ids } = this.#options;
    if (!(await this.#isStruckNow(window))) return;
    const struck = { ...window, stage: 'open', start: mustHave(window.start), id: ids.take() } as const;
    await this.#save(struck);
    await this.#list(struck);
  }

  /** Whether the start price is on chain. A window refused by the contract until its end is skipped. */
  async #isStruckNow(window: QuickWindow): Promise<boolean> {
    try {
      return await this.#options.chain.strike(window, mustHave(window.start));
    } catch (error) {
      if (!(error instanceof ChainRefused) || this.#nowSeconds < endOf(window.startTime)) throw error;
      await this.#save({ ...window, stage: 'skipped' });
      return false;
    }
  }

  /** Resolves a window. A price that the contract still refuses after a day counts as missing. */
  async #resolve(window: QuickWindow): Promise<void> {
    try {
      if (await this.#options.chain.settle(window, mustHave(window.end)))
        await this.#save({ ...window, stage: 'settled' });
    } catch (error) {
      const isLate = this.#nowSeconds >= endOf(window.startTime) + VOID_AFTER_SECONDS;
      if (!isLate || !(error instanceof ChainRefused)) throw error;
      await this.#save({ ...window, stage: 'voiding' });
    }
  }

  async #list(window: StruckWindow): Promise<void> {
    const { reads, commands } = this.#context;
    if (reads.market(window.creation.marketId) !== undefined) return;
    await commands.listMarket(toMarketFacts(window, this.#context));
    this.#options.onListed();
  }

  async #save(window: QuickWindow): Promise<void> {
    const timeMs = this.#context.clock.nowMs();
    await this.#options.journal.append({ type: 'quick-market-changed', timeMs, window });
  }

  get #nowSeconds(): number {
    return this.#context.clock.nowSeconds();
  }
}

const STRUCK: readonly QuickStage[] = ['open', 'resolving', 'voiding'];

function isStruck(window: QuickWindow): window is StruckWindow {
  return STRUCK.includes(window.stage) && window.start !== undefined;
}

function toEvidence({ price, expo, publishTime, payload }: BoundaryUpdate): BoundaryEvidence {
  return { price: price.toString(), expo, publishTime, payload };
}

function mustHave(evidence: BoundaryEvidence | undefined): BoundaryEvidence {
  if (evidence === undefined) throw new Error('a window is past its price and has none');
  return evidence;
}
