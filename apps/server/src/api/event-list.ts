// Lists events that fit every filter, page by page, newest first.
import type { MarketView } from '@presage/engine';
import {
  type Bytes32,
  type MarketEvent,
  type MarketId,
  type MarketStatus,
  parseBytes32,
  readOutcomeMarketId,
} from '@presage/protocol';
import type { MarketReads } from '../host/ports.ts';
import type { OperatorState } from '../operator/operator-state.ts';
import type { LongRead } from './long-reads.ts';
import { toMarketStatus } from './mappers/market.ts';
import { hasWords, toWords } from './market-list.ts';

/** A listed outcome: its market and the market's facts about the event. */
export interface ListedOutcome {
  readonly view: MarketView;
  readonly event: MarketEvent;
}

/** The outcomes of an event listed so far, by index; at least one. */
export type ListedEvent = readonly [ListedOutcome, ...ListedOutcome[]];

interface EventQuery {
  readonly chainId: number | undefined;
  readonly status: MarketStatus | undefined;
  readonly category: string | undefined;
  readonly search: string | undefined;
  readonly limit: number;
  /** Only events after this cursor. */
  readonly cursor: EventPlace | undefined;
}

interface ListContext {
  readonly nowSeconds: number;
  readonly presentation: Pick<OperatorState, 'textsOf'>;
  readonly read: Pick<LongRead, 'isTurnOver' | 'next'>;
}

type Reads = Pick<
  MarketReads,
  'market' | 'facts' | 'marketCount' | 'activeMarkets' | 'retiredMarkets' | 'marketsNamed'
>;

/** Finds an event; undefined if none of its markets is listed. */
export function findEvent(reads: Pick<MarketReads, 'marketsNamed'>, id: Bytes32): ListedEvent | undefined {
  const [first, ...others] = reads
    .marketsNamed(id)
    .flatMap((view) => (view.facts.event?.id === id ? [{ view, event: view.facts.event }] : []))
    .sort((a, b) => a.event.index - b.event.index);
  return first && [first, ...others];
}

/**
 * Status of an event: open while any of its markets is, decided once all are. In between it has the status of its furthest
 * market: all share one resolution, of which each market has a record.
 */
export function toEventStatus(event: ListedEvent, nowSeconds: number): MarketStatus {
  const statuses = new Set(event.map(({ view }) => toMarketStatus(view, nowSeconds)));
  const undecided = (['open', 'disputed', 'proposed', 'expired'] as const).find((status) => statuses.has(status));
  return undecided ?? (statuses.has('resolved') ? 'resolved' : 'void');
}

/** Chooses one page of events; the next cursor is null on the last page. */
export async function chooseEvents(events: EventsByAge, query: EventQuery, context: ListContext) {
  const found: ListedEvent[] = [];
  const words = toWords(query.search);
  for (const first of events.newestFirst(query.cursor)) {
    if (context.read.isTurnOver) await context.read.next();
    const event = mayFit(first.view, query, context) ? events.find(first.event.id) : undefined;
    if (event === undefined || !fits(event, { status: query.status, words }, context)) continue;
    found.push(event);
    if (found.length > query.limit) break;
  }
  const page = found.slice(0, query.limit);
  const last = page.at(-1);
  return { events: page, next: found.length > query.limit && last !== undefined ? toCursor(last) : null };
}

/** Rules an event out by its first market, so that a filter need not look at all outcomes of all events. */
function mayFit(first: MarketView, query: EventQuery, { nowSeconds, presentation }: ListContext): boolean {
  if (query.chainId !== undefined && first.facts.chainId !== query.chainId) return false;
  if (query.category !== undefined && presentation.textsOf(first).category !== query.category) return false;
  const isOpen = query.status !== undefined && toMarketStatus(first, nowSeconds) === 'open';
  return !isOpen || query.status === 'open';
}

type Asked = Pick<EventQuery, 'status'> & { readonly words: readonly string[] };

function fits(event: ListedEvent, { status, words }: Asked, { nowSeconds, presentation }: ListContext): boolean {
  if (status !== undefined && toEventStatus(event, nowSeconds) !== status) return false;
  if (words.length === 0) return true;
  const [{ view, event: facts }] = event;
  const { description } = presentation.textsOf(view);
  const texts = [facts.question, description, ...event.map((outcome) => outcome.event.name)];
  return hasWords(texts.join(' '), words);
}

interface EventPlace {
  /** Unix seconds. */
  readonly createdAt: number;
  readonly id: Bytes32;
}

interface KnownEvent extends EventPlace {
  readonly firstMarketId: MarketId;
}

/** All events, newest first. Found by the ids of their first markets; sorted again when there are new ones. */
export class EventsByAge {
  readonly #reads: Reads;
  #marketCount = 0;
  /** Events by the ids of their first markets. */
  readonly #known = new Map<MarketId, KnownEvent>();
  #sorted: readonly KnownEvent[] = [];

  constructor(reads: Reads) {
    this.#reads = reads;
  }

  /** Yields the first outcome of each event after `last`, newest first. */
  *newestFirst(last?: EventPlace): Generator<ListedOutcome> {
    this.#learn();
    for (const known of this.#sorted) {
      if (last !== undefined && newestFirst(last, known) >= 0) continue;
      const view = this.#reads.market(known.firstMarketId);
      if (view?.facts.event !== undefined) yield { view, event: view.facts.event };
    }
  }

  find(id: Bytes32): ListedEvent | undefined {
    return findEvent(this.#reads, id);
  }

  #learn(): void {
    const { marketCount } = this.#reads;
    if (marketCount === this.#marketCount) return;
    this.#marketCount = marketCount;
    const before = this.#known.size;
    for (const { facts } of this.#reads.activeMarkets()) this.#note(facts);
    for (const { marketId } of this.#reads.retiredMarkets()) {
      // Unpacks only first outcomes of events, recognized by their ids: few of very many retired markets.
      if (isFirstOutcome(marketId) && !this.#known.has(marketId)) this.#note(this.#reads.facts(marketId));
    }
    if (this.#known.size !== before) this.#sorted = [...this.#known.values()].sort(newestFirst);
  }

  #note(facts: MarketView['facts'] | undefined): void {
    if (facts?.event?.index !== 0 || this.#known.has(facts.marketId)) return;
    const { createdAt, marketId, event } = facts;
    this.#known.set(marketId, { createdAt, id: event.id, firstMarketId: marketId });
  }
}

function isFirstOutcome(marketId: MarketId): boolean {
  return readOutcomeMarketId(marketId)?.index === 0;
}

/** Orders newest first, and events of one block by id, so that no page skips any. */
function newestFirst(a: EventPlace, b: EventPlace): number {
  return b.createdAt - a.createdAt || (a.id === b.id ? 0 : a.id < b.id ? -1 : 1);
}

function toCursor([{ view, event }]: ListedEvent): string {
  return `${view.facts.createdAt}-${event.id}`;
}

export function parseEventCursor(text: string): EventPlace | undefined {
  const [, createdAt, digits] = /^(\d{1,15})-(0x[0-9a-f]{64})$/.exec(text) ?? [];
  const id = parseBytes32(digits);
  return id && { createdAt: Number(createdAt), id };
}
