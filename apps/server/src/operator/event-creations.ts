// Creates events for operators: the event in one transaction, and many outcomes in parts; never twice under one key.
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
  /** Unix seconds of the service's clock: markets expire by it. */
  readonly nowSeconds: () => number;
}

export interface NewEvent extends NewMarket {
  /** Names of the outcomes. */
  readonly outcomes: readonly string[];
}

interface EventCreation {
  readonly eventId: Bytes32;
  /** Whether all outcomes can be traded already. */
  readonly isListed: boolean;
  /** False if its key had been used. */
  readonly isNew: boolean;
}

/** A slow chain lists the outcomes later: after so long without the next part, or in all. A gateway gives an answer 45 s to begin. */
const LISTING = { partMs: 10_000, allMs: 30_000, pollMs: 20 };
const SAME_TERMS = 'an event with the same terms is being created: send the request again when it is listed';

export class EventCreations implements ActSource {
  readonly #options: EventCreationsOptions;
  /** Sends one at a time, because an event's id depends on earlier events with the same terms. Nobody waits here for another's outcomes. */
  readonly #queue = new SerialQueue();
  /** Events of which all outcomes are known to be listed. */
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

  /** What is wrong with an event, before another operator is asked to confirm it. */
  check(event: NewEvent): void {
    this.#plan(event);
  }

  /** Sends the next transaction of an event that a kill or a slow chain left unfinished, and does not wait for it. */
  #finish(created: CreatedEvent): Promise<void> {
    return this.#queue.run(() => this.#sendNext(created));
  }

  /** The same part is the same operation of the sender, however often it is sent. */
  async #sendNext(created: CreatedEvent): Promise<void> {
    const creator = this.#options.creatorOf(created.chainId);
    const listed = this.#listedOf(created);
    if (listed === 0) await this.#sendUnsent(created, creator);
    else if (listed < created.outcomes.length) await creator.listOutcomes(created, listed);
  }

  /** Events whose outcomes are not all listed. Those of an expired one are not listed any more. */
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

  /** Undefined while an event with the same terms is not on chain yet: until then both have the same id. */
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

  /** Each part is sent when the one before is listed, so that a kill leaves no gap. False if outcomes are left for later. */
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

  /** If the id is still free, the transaction of the creation was not sent. */
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

/** The terms on chain. */
function toTerms({ texts, outcomes, ...terms }: Omit<CreatedEvent, 'kind' | 'eventId' | 'contractAddress'>) {
  const { question, category } = texts;
  const { expiration, earlyResolution, feeRateBps, makerShareBps } = terms;
  const rules = { expiration, earlyResolution, feeRateBps, makerShareBps };
  return { question, description: describeOnChain(texts), category, outcomes, ...rules };
}
