// Maps events to the wire, aggregated from their markets.
import {
  BUY,
  type Bytes32,
  isDecided,
  LIMITS,
  type MarketEvent,
  NO,
  PresageError,
  type QuotedWay,
  quoteEvent,
  SELL,
  toChecksumAddress,
  toOutcomeQuestion,
  YES,
} from '@presage/protocol';
import type { Wire } from '../answer.ts';
import { findEvent, type ListedEvent, toEventStatus } from '../event-list.ts';
import { MarketReader, type MarketReaderServices } from './market.ts';

export function eventOf(reads: MarketReaderServices['reads'], id: Bytes32): ListedEvent {
  const event = findEvent(reads, id);
  if (event === undefined) throw new PresageError('event_not_found', { eventId: id });
  return event;
}

/** Reads events with the figures of all their markets in one query. */
export class EventReader {
  readonly #services: MarketReaderServices;
  readonly #markets: MarketReader;

  constructor(services: MarketReaderServices) {
    this.#services = services;
    this.#markets = new MarketReader(services);
  }

  async one(id: Bytes32): Promise<Wire<'Event'>> {
    const event = eventOf(this.#services.reads, id);
    return this.#toEvent(event, await this.#read([event]));
  }

  async list(events: readonly ListedEvent[]): Promise<Wire<'Event'>[]> {
    const markets = await this.#read(events);
    return events.map((event) => this.#toEvent(event, markets));
  }

  async #read(events: readonly ListedEvent[]): Promise<Map<string, Wire<'Market'>>> {
    const markets = await this.#markets.list(events.flat().map(({ view }) => view));
    return new Map(markets.map((market) => [market.id, market]));
  }

  #toEvent(event: ListedEvent, known: ReadonlyMap<string, Wire<'Market'>>): Wire<'Event'> {
    const [{ view, event: facts }] = event;
    const { question, description, category } = this.#services.presentation.textsOf(view);
    const markets = event.flatMap(({ view: { facts } }) => known.get(facts.marketId) ?? []);
    const status = toEventStatus(event, this.#services.clock.nowSeconds());
    const sum = (field: 'volume' | 'volume24h') => markets.reduce((total, market) => total + BigInt(market[field]), 0n);
    return {
      id: facts.id,
      question: toEventQuestion(question, facts),
      description,
      category,
      chainId: view.facts.chainId,
      contractAddress: toChecksumAddress(facts.contractAddress),
      expiration: view.facts.expiration,
      status,
      resolved: isDecidedStatus(status),
      ...(isDecidedStatus(status) && { winningIndex: winnerOf(event) }),
      outcomeCount: facts.count,
      outcomes: markets.flatMap(toOutcome),
      volume24h: sum('volume24h'),
      totalVolume: sum('volume'),
      feeRateBps: view.facts.feeRateBps ?? 0,
      makerShareBps: view.facts.makerShareBps ?? 0,
      createdAt: view.facts.createdAt,
    };
  }
}

/** The event's question, from a market's reworded one: operators reword markets, each of which adds its outcome to the question. */
function toEventQuestion(shown: string, { question, name }: MarketEvent): string {
  const ending = toOutcomeQuestion('', name);
  return shown.endsWith(ending) ? shown.slice(0, -ending.length) : question;
}

function toOutcome(market: Wire<'Market'>): Wire<'EventOutcome'>[] {
  const { id: marketId, event, chance, bestBidPrice, bestAskPrice, bestNoAskPrice, lastPrice } = market;
  if (event === undefined) return [];
  const prices = { bestBidPrice, bestAskPrice, bestNoAskPrice, lastPrice };
  return [{ index: event.index, name: event.name, marketId, chance, ...prices }];
}

function isDecidedStatus(status: Wire<'Event'>['status']): boolean {
  return status === 'resolved' || status === 'void';
}

/** Index of the winning outcome; null for a void event, and if the winner is not listed. */
function winnerOf(event: ListedEvent): number | null {
  const won = event.find(({ view }) => isDecided(view.resolution) && view.resolution.winningOutcome === YES);
  return won === undefined ? null : won.event.index;
}

/** Quotes the cheapest way to hold an outcome, from the current books. */
export function toEventQuote(
  reads: MarketReaderServices['reads'],
  event: ListedEvent,
  { index, size }: { readonly index: number; readonly size: number },
): Wire<'EventQuoteAnswer'> {
  const [{ view, event: facts }] = event;
  const outcomes = event.map(({ view: { facts: market }, event: of }) => ({
    index: of.index,
    marketId: market.marketId,
    yesAsks: reads.levels(market.marketId, YES, SELL),
    noAsks: reads.levels(market.marketId, NO, SELL),
  }));
  const feeRateBps = view.facts.feeRateBps ?? 0;
  const asked = { outcomes, count: facts.count, index, size, feeRateBps, mostOrders: LIMITS.batchOrders };
  const { best = null, direct, converted } = quoteEvent(asked);
  const indexes = outcomes.flatMap((outcome) => (outcome.index === index ? [] : [outcome.index]));
  return {
    eventId: facts.id,
    index,
    side: 'buy',
    size,
    best,
    direct: direct === undefined ? null : toWay(direct),
    converted: converted === undefined ? null : { ...toWay(converted), conversion: { indexes, amount: size } },
  };
}

function toWay({ orders, ...amounts }: QuotedWay): Wire<'EventQuoteWay'> {
  return {
    ...amounts,
    orders: orders.map(({ marketId, outcome, price, size }) => {
      return { marketId, side: BUY, outcome, price, size, timeInForce: 'FOK' };
    }),
  };
}
