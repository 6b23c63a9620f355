// Creates markets for operators, immediately or on schedule, also from templates; never twice under one key.
import { randomBytes } from 'node:crypto';
import {
  type FeeRates,
  GENERAL_CATEGORY,
  LIMITS,
  MARKET_LIFETIME_SECONDS,
  type MarketId,
  type MarketTemplate,
  type MarketTexts,
  PresageError,
} from '@presage/protocol';
import { poll, SerialQueue } from '@presage/runtime';
import type { MarketReads } from '../host/ports.ts';
import type { Act, Asked } from './asked.ts';
import { fillTemplate, type TemplateValues } from './fill-template.ts';
import type { MarketCreator } from './market-creator.ts';
import type { CreatedMarket, ScheduledMarket } from './market-plans.ts';
import type { OperatorState } from './operator-state.ts';
import type { ActSource, UnfinishedAct } from './unfinished-acts.ts';

export interface MarketCreationsOptions {
  readonly state: Pick<OperatorState, 'plans' | 'hasCategory'>;
  /** Records an action; resolves once it is durable. */
  readonly act: Act;
  /** Chain by id, or the first if none is named; throws if it is not served here. */
  readonly chainOf: (chainId: number | undefined) => { readonly chainId: number };
  /** Creator of a chain; throws if the chain has no key that may create markets. */
  readonly creatorOf: (chainId: number) => MarketCreator;
  readonly reads: Pick<MarketReads, 'market'>;
  /** Unix seconds of the service's clock, by which markets expire. */
  readonly nowSeconds: () => number;
  /** Default fees of a market of this category. */
  readonly feesFor: (category: string) => FeeRates;
}

export interface NewMarket extends Partial<Omit<MarketTexts, 'question'>> {
  readonly question: string;
  readonly expiration: number;
  readonly chainId?: number;
  /** Whether a result may be proposed before the expiration. */
  readonly earlyResolution?: boolean;
  /** Fee rates; those of the category by default. */
  readonly feeRateBps?: number;
  readonly makerShareBps?: number;
  /** Idempotency key: the same key never creates a second market. */
  readonly key?: string;
}

type Planned = ScheduledMarket['market'];

export interface CreationResult {
  readonly marketId: MarketId;
  /** Whether the market can be traded. */
  readonly isListed: boolean;
  /** Whether the market is new; false if its key was already used. */
  readonly isNew: boolean;
}

/** Wait for the listing; a slow chain lists the market later, but its id is already valid. */
const LISTING_WAIT_MS = 10_000;
const POLL_MS = 20;

export class MarketCreations implements ActSource {
  readonly #options: MarketCreationsOptions;
  /** Runs one at a time, because a market's id depends on earlier markets with the same terms. */
  readonly #queue = new SerialQueue();
  /** Keys of markets known to be listed. */
  readonly #listed = new Set<string>();

  constructor(options: MarketCreationsOptions) {
    this.#options = options;
  }

  create(asked: Asked, market: NewMarket): Promise<CreationResult> {
    return this.#queue.run(async () => {
      const created = this.#createdUnder(market.key);
      return created === undefined ? this.#create(asked, this.plan(market), market.key) : this.#resume(created);
    });
  }

  /** Returns the planned market and its id, without recording or sending anything. */
  check(
    market: NewMarket,
  ): Promise<{ readonly marketId: MarketId; readonly isNew: boolean; readonly planned: Planned }> {
    return this.#queue.run(async () => {
      const planned = this.plan(market);
      const created = this.#createdUnder(market.key);
      if (created !== undefined) return { marketId: created.marketId, isNew: false, planned };
      return {
        marketId: await this.#options.creatorOf(planned.chainId).prepare(toTerms(planned)),
        isNew: true,
        planned,
      };
    });
  }

  /** Schedules a market to be created and listed at `listAt`. The schedule's id is the market's key, if it has one. */
  schedule(asked: Asked, market: NewMarket, listAt: number): Promise<ScheduledMarket> {
    return this.#queue.run(async () => {
      const { plans } = this.#options.state;
      const scheduleId = market.key ?? `sc_${randomBytes(12).toString('hex')}`;
      const known = plans.findScheduled(scheduleId);
      if (known !== undefined) return known;
      if (plans.created(scheduleId) !== undefined) throw new PresageError('schedule_not_found', { scheduleId });
      if (plans.scheduled().length >= LIMITS.scheduledMarketsMax) throw new PresageError('too_many_plans');
      const planned = this.plan(market);
      this.#requireTime('listAt', listAt, planned.expiration);
      // Checked now, so that a faulty market is refused immediately and not at its time.
      await this.#options.creatorOf(planned.chainId).prepare(toTerms(planned));
      await this.#options.act(asked, { kind: 'schedule-market', scheduleId, listAt, market: planned });
      return plans.findScheduled(scheduleId) ?? { scheduleId, listAt, market: planned, ...asked };
    });
  }

  async cancelSchedule(asked: Asked, scheduleId: string): Promise<void> {
    if (this.#options.state.plans.findScheduled(scheduleId) === undefined) {
      throw new PresageError('schedule_not_found', { scheduleId });
    }
    await this.#options.act(asked, { kind: 'cancel-schedule', scheduleId });
  }

  /** Creates a scheduled market that is due, unless it was cancelled meanwhile. */
  createScheduled({ scheduleId, market, actor, reason }: ScheduledMarket): Promise<void> {
    return this.#queue.run(async () => {
      if (this.#options.state.plans.findScheduled(scheduleId) === undefined) return;
      await this.#create({ actor, reason }, market, scheduleId);
    });
  }

  /** Recorded but unlisted markets, whose transactions may be missing; excludes expired ones, which are no longer created. */
  unfinished(): UnfinishedAct[] {
    const { state, reads, nowSeconds } = this.#options;
    const left: UnfinishedAct[] = [];
    for (const [key, { marketId, chainId, expiration }] of state.plans.allCreated()) {
      if (this.#listed.has(key)) continue;
      if (reads.market(marketId) !== undefined) this.#listed.add(key);
      else if (expiration > nowSeconds())
        left.push({ chainId, subject: { marketId }, finish: () => this.#finish(key) });
    }
    return left;
  }

  /** Sends the transaction of a market recorded under a key, if a kill or the chain prevented it. */
  #finish(key: string): Promise<void> {
    return this.#queue.run(async () => {
      const created = this.#createdUnder(key);
      if (created !== undefined) await this.#sendUnsent(created);
    });
  }

  async defineTemplate(asked: Asked, templateId: string, template: MarketTemplate): Promise<void> {
    const { plans } = this.#options.state;
    if (plans.template(templateId) === undefined && plans.templates().length >= LIMITS.marketTemplatesMax) {
      throw new PresageError('too_many_plans');
    }
    await this.#options.act(asked, { kind: 'define-template', templateId, template });
  }

  async removeTemplate(asked: Asked, templateId: string): Promise<void> {
    this.#templateOf(templateId);
    await this.#options.act(asked, { kind: 'remove-template', templateId });
  }

  /** Fills a template; `listAt` is the creation time of a scheduled market. */
  fill(templateId: string, values: TemplateValues, listAt = 0) {
    return fillTemplate(this.#templateOf(templateId), values, Math.max(listAt, this.#options.nowSeconds()));
  }

  async #create(asked: Asked, planned: Planned, key: string | undefined): Promise<CreationResult> {
    const creator = this.#options.creatorOf(planned.chainId);
    const marketId = await creator.prepare(toTerms(planned));
    const action = { kind: 'create-market', marketId, ...planned, ...(key !== undefined && { key }) } as const;
    await this.#options.act(asked, action);
    await creator.create(marketId, toTerms(planned));
    return { marketId, isListed: await this.#waitForListing(marketId), isNew: true };
  }

  async #resume(action: CreatedMarket): Promise<CreationResult> {
    const { marketId } = action;
    await this.#sendUnsent(action);
    return { marketId, isListed: await this.#waitForListing(marketId), isNew: false };
  }

  /** Sends a recorded market's transaction if a kill prevented it, which shows by its id being free. */
  async #sendUnsent(action: CreatedMarket): Promise<void> {
    const { marketId, chainId } = action;
    if (this.#options.reads.market(marketId) !== undefined) return;
    const creator = this.#options.creatorOf(chainId);
    const terms = toTerms(action);
    if ((await creator.prepare(terms)) === marketId) await creator.create(marketId, terms);
  }

  async #waitForListing(marketId: MarketId): Promise<boolean> {
    const isListed = () => this.#options.reads.market(marketId) !== undefined;
    await poll(isListed, { timeoutMs: LISTING_WAIT_MS, pollMs: POLL_MS });
    return isListed();
  }

  /** Completes a market's terms with defaults; throws for an unknown category or an invalid time. */
  plan(market: NewMarket): Planned {
    const { question, expiration, chainId: named, earlyResolution = false, key: _, ...given } = market;
    const { feeRateBps, makerShareBps = 0, ...texts } = given;
    const { chainId } = this.#options.chainOf(named);
    const all = { description: '', source: '', category: GENERAL_CATEGORY, imageUrl: '', ...texts, question };
    const { state, feesFor } = this.#options;
    if (!state.hasCategory(all.category)) throw new PresageError('category_not_found', { id: all.category });
    this.#requireTime('expiration', expiration, this.#options.nowSeconds() + MARKET_LIFETIME_SECONDS);
    const fees = feeRateBps === undefined ? feesFor(all.category) : { feeRateBps, makerShareBps };
    return { chainId, expiration, texts: all, earlyResolution, feeRateBps: 0, makerShareBps: 0, ...fees };
  }

  #createdUnder(key: string | undefined): CreatedMarket | undefined {
    return key === undefined ? undefined : this.#options.state.plans.created(key);
  }

  #templateOf(templateId: string): MarketTemplate {
    const template = this.#options.state.plans.template(templateId);
    if (template === undefined) throw new PresageError('template_not_found', { templateId });
    return template;
  }

  #requireTime(field: string, time: number, latest: number): void {
    const now = this.#options.nowSeconds();
    if (time > now && time <= latest) return;
    const expected = `a Unix time after ${now} and up to ${latest}`;
    throw new PresageError('invalid_field', { field, expected, got: time });
  }
}

/** Terms of a market on chain. */
function toTerms({
  texts,
  expiration,
  earlyResolution,
  feeRateBps,
  makerShareBps,
}: Omit<CreatedMarket, 'kind' | 'marketId'>) {
  const { question, category } = texts;
  const description = describeOnChain(texts);
  return { question, description, category, expiration, earlyResolution, feeRateBps, makerShareBps };
}

/** Description on chain. Includes the source, because the oracle's voters read only the chain. */
export function describeOnChain({ description, source }: Pick<MarketTexts, 'description' | 'source'>): string {
  if (source === '') return description;
  return description === '' ? `Source: ${source}` : `${description}\n\nSource: ${source}`;
}
