// Events: questions with several outcomes, each of which is a market.
import type { CallOptions, Http } from '../http.ts';
import { type AmountInput, parseSize, toBytes32 } from '../inputs.ts';
import type { EventList, EventQuote, MarketEvent, MarketStatus } from '../types.ts';

export interface EventsQuery {
  readonly chain_id?: number;
  readonly status?: MarketStatus;
  readonly category?: string;
  /** Words of the question, the description or the names of outcomes. */
  readonly search?: string;
  readonly limit?: number;
  /** The `next` of the page before. */
  readonly cursor?: string;
}

export interface EventQuoteParams {
  /** Place of the outcome among `outcomes`, from 0. */
  readonly index: number;
  readonly size: AmountInput;
}

export function eventReads(http: Http) {
  const get = <T>(eventId: string, path: string, query: object, options?: CallOptions): Promise<T> =>
    http.get(`/api/v1/events/${toBytes32('eventId', eventId)}${path}`, { ...query }, options);
  return {
    /** Events with their outcomes, the chance and the best prices of each. */
    listEvents: (query: EventsQuery = {}, options?: CallOptions): Promise<EventList> =>
      http.get('/api/v1/events', { ...query }, options),
    /** One event by its id. */
    getEvent: (eventId: string, options?: CallOptions): Promise<MarketEvent> => get(eventId, '', {}, options),
    /** The cheapest way to hold an outcome: its YES, or NO of all the others, converted. */
    quoteEvent: (eventId: string, { index, size }: EventQuoteParams, options?: CallOptions): Promise<EventQuote> =>
      get(eventId, '/quote', { index, side: 'buy', size: parseSize(size) }, options),
  };
}
