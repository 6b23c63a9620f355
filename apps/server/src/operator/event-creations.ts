// Creates events for operators, never twice under one key: the event in one transaction, many outcomes in several.
import { OUTCOMES_TOGETHER } from '@presage/chain';
import { type Bytes32, findNamesFault, fitsContract, MAX_EVENT_TEXT_BYTES, PresageError } from '@presage/protocol';
import { poll, SerialQueue } from '@presage/runtime';
import type { MarketReads } from '../host/ports.ts';
import type { Act, Asked } from './asked.ts';
import { describeOnChain, type MarketCreations, type NewMarket } from './market-creations.ts';
import type { MarketCreator } from './market-creator.ts';
import type { CreatedEvent } from './market-plans.ts';
import type { OperatorState } from './operator-state.ts';
import type { ActSource, UnfinishedAct } from './unfinished-acts.ts';

export interface EventCreationsOptions {
  readonly state: Pick<OperatorState, 'plans'>;
  readonly act: Act;
  readonly markets: Pick<MarketCreations, 'plan'>;
  readonly creatorOf: (chainId: number) => MarketCreator;
  readonly reads: Pick<MarketReads, 'marketsNamed'>;
  /** Unix seconds of the service's clock, by which markets expire. */
  readonly nowSeconds: () => number;
}

export interface NewEvent extends NewMarket {
  /** Names of the outcomes. */
  readonly outcomes: readonly string[];
}

interface EventCreation {
  readonly eventId: Bytes32;
  /** Whether all outcomes can be traded. */
  readonly isListed: boolean;
  /** Whether the event is new; false if its key was already used. */
  readonly isNew: boolean;
}

/** Waits for outcomes, per part and in total, after which they are listed later. Below the 45 s that a gateway gives an answer to begin. */
const LISTING = { partMs: 10_000, allMs: 30_000, pollMs: 20 };
const SAME_TERMS = 'an event with the same terms is being created: send the request again when it is listed';

export class EventCreations implements ActSource {
  readonly #options: EventCreationsOptions;
  /** Sends one transaction at a time, because an event's id depends on earlier ones with equal terms. No wait for outcomes happens here. */
  readonly #queue = new SerialQueue();
  /** Events whose outcomes are all known to be listed. */
  readonly #listed = new Set<Bytes32>();

  constructor(options: EventCreationsOptions) {
    this.#options = options;
  }

  async create(asked: Asked, event: NewEvent): Promise<EventCreation> {
    const endMs = performance.now() + LISTING.allMs;
    const begun = await poll(() => this.#queue.run(() => this.#begin(asked, event)), { timeoutMs: LISTING.partMs });
    if (begun === undefined) throw new PresageError('chain_unavailable', { reason: SAME_TERMS });
    const { created, isNew } = begun;
    return { eventId: created.eventId, isListed: await this.#list(created, endMs), isNew };
  }

  /** Checks an event before another operator is asked to confirm it; throws its fault. */
  check(event: NewEvent): void {
    this.#plan(event);
  }

  /** Sends the next transaction of an event that a kill or a slow chain left unfinished, without waiting for its effect. */
  #finish(created: CreatedEvent): Promise<void> {
    return this.#queue.run(() => this.#sendNext(created));
  }

  /** Sends an event's next transaction. Repeats are harmless: the same part is the same operation of the sender. */
  async #sendNext(created: CreatedEvent): Promise<void> {
    const creator = this.#options.creatorOf(created.chainId);
    const listed = this.#listedOf(created);
    if (listed === 0) await this.#sendUnsent(created, creator);
    else if (listed < created.outcomes.length) await creator.listOutcomes(created, listed);
  }

  /** Events whose outcomes are not all listed; excludes expired events, whose outcomes are never listed. */
  unfinished(): UnfinishedAct[] {
    const left: UnfinishedAct[] = [];
    for (const event of this.#options.state.plans.allEvents()) {
      const { eventId, chainId } = event;
      if (this.#listed.has(eventId)) continue;
      if (this.#listedOf(event) >= event.outcomes.length) this.#listed.add(eventId);
      else if (event.expiration > this.#options.nowSeconds())
        left.push({ chainId, subject: { eventId }, finish: () => this.#finish(event) });
    }
    return left;
  }

  /** Begins a creation; undefined while an event with the same terms is not on chain yet, since both would have the same id. */
  async #begin(asked: Asked, event: NewEvent) {
    const { key } = event;
    const known = key === undefined ? undefined : this.#options.state.plans.createdEvent(key);
    const created = known ?? (await this.#record(asked, event));
    if (created === undefined) return undefined;
    await this.#sendNext(created);
    return { created, isNew: known === undefined };
  }

  async #record(asked: Asked, event: NewEvent): Promise<CreatedEvent | undefined> {
    const planned = this.#plan(event);
    const prepared = await this.#options.creatorOf(planned.chainId).prepareEvent(toTerms(planned));
    if (this.#options.state.plans.findEvent(prepared.eventId) && this.#listedOf(prepared) === 0) return undefined;
    const { key } = event;
    const action = { kind: 'create-event', ...prepared, ...planned, ...(key !== undefined && { key }) } as const;
    await this.#options.act(asked, action);
    return action;
  }

  /** Sends each part when the previous one is listed, so that a kill leaves no gap. Resolves to false if outcomes are left for later. */
  async #list(created: CreatedEvent, endMs: number): Promise<boolean> {
    const { outcomes } = created;
    for (let wanted = Math.min(OUTCOMES_TOGETHER, outcomes.length); ; ) {
      const timeoutMs = Math.min(LISTING.partMs, endMs - performance.now());
      if (!(await poll(() => this.#listedOf(created) >= wanted, { ...LISTING, timeoutMs }))) return false;
      const listed = this.#listedOf(created);
      if (listed >= outcomes.length) return true;
      await this.#finish(created);
      wanted = Math.min(listed + OUTCOMES_TOGETHER, outcomes.length);
    }
  }

  /** Sends the creation if it was not sent, which shows by its id being free. */
  async #sendUnsent(created: CreatedEvent, creator: MarketCreator): Promise<void> {
    if (this.#listedOf(created) > 0) return;
    const terms = toTerms(created);
    const { eventId } = await creator.prepareEvent(terms);
    if (eventId === created.eventId) await creator.createEvent(eventId, terms);
  }

  #plan({ outcomes, ...market }: NewEvent) {
    const fault = findNamesFault(outcomes);
    if (fault !== undefined) throw new PresageError('invalid_field', { ...fault });
    const planned = this.#options.markets.plan(market);
    const { texts } = planned;
    if (fitsContract([texts.question, describeOnChain(texts)], outcomes)) return { ...planned, outcomes };
    const expected = `shorter: with question, description and source at most ${MAX_EVENT_TEXT_BYTES} bytes`;
    throw new PresageError('invalid_field', { field: 'outcomes', expected });
  }

  #listedOf({ eventId }: Pick<CreatedEvent, 'eventId'>): number {
    return this.#options.reads.marketsNamed(eventId).length;
  }
}

/** Terms of an event on chain. */
function toTerms({ texts, outcomes, ...terms }: Omit<CreatedEvent, 'kind' | 'eventId' | 'contractAddress'>) {
  const { question, category } = texts;
  const { expiration, earlyResolution, feeRateBps, makerShareBps } = terms;
  const rules = { expiration, earlyResolution, feeRateBps, makerShareBps };
  return { question, description: describeOnChain(texts), category, outcomes, ...rules };
}
