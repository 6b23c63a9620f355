// Endpoints for events: the list, one event, its quote.
import { isSize, LIMITS, MARKET_STATUSES } from '@presage/protocol';
import * as wire from '@presage/protocol/wire';
import Type from 'typebox';
import { invalidField } from '../bodies.ts';
import { type Endpoint, endpoint } from '../endpoint.ts';
import { chooseEvents, EventsByAge, parseEventCursor } from '../event-list.ts';
import { LongReads } from '../long-reads.ts';
import { EventReader, eventOf, toEventQuote } from '../mappers/event.ts';
import { assertCategory } from '../market-list.ts';
import {
  CHAIN_ID,
  choiceOf,
  cursorOf,
  listLimit,
  MARKET_ID,
  optional,
  required,
  textKind,
  withDefault,
} from '../parameters.ts';
import type { ApiServices } from '../services.ts';
import { CATEGORY, SEARCH } from './markets.ts';

const events = { method: 'get', tag: 'Events' } as const;

export const EVENT_ID: typeof MARKET_ID = { ...MARKET_ID, description: "Event identifier: its condition's id" };
const CURSOR = cursorOf(Type.String({ minLength: 1 }), parseEventCursor, 'next');

const INDEX = textKind({
  schema: Type.String({ pattern: '^[0-9]{1,3}$' }),
  description: 'Place of the outcome in the event',
  expected: 'an integer',
  read: Number,
});
const SIZE = textKind({
  schema: Type.String({ pattern: '^[0-9]{1,16}$' }),
  description: 'Shares in millionths',
  expected: 'an integer from 1 to 2^53-1',
  read: (text) => (isSize(Number(text)) ? Number(text) : undefined),
});

export function eventEndpoints(services: Pick<ApiServices, 'reads' | 'views' | 'clock' | 'presentation'>): Endpoint[] {
  const { reads, clock, presentation } = services;
  const reader = new EventReader(services);
  const byAge = new EventsByAge(reads);
  const longReads = new LongReads();
  return [
    endpoint({
      ...events,
      path: '/api/v1/events',
      id: 'listEvents',
      summary: 'Events, newest first',
      description:
        'An event is a question with several outcomes, of which each is a market. One that is being listed shows the outcomes listed so far.',
      query: {
        chain_id: optional(CHAIN_ID),
        status: optional(choiceOf(MARKET_STATUSES, 'Only in this state')),
        category: optional(CATEGORY),
        search: optional(SEARCH, 'Words of the question, the description or the names of outcomes'),
        limit: listLimit(LIMITS.eventsPageMax, LIMITS.eventsPageDefault),
        cursor: optional(CURSOR),
      },
      answer: wire.EventList,
      entityTag: 'content',
      handle: async ({ query: { chain_id: chainId, ...query }, request }) => {
        if (query.category !== undefined) assertCategory(query.category, presentation);
        const page = await longReads.run(request, (read) =>
          chooseEvents(byAge, { ...query, chainId }, { nowSeconds: clock.nowSeconds(), presentation, read }),
        );
        const listed = await reader.list(page.events);
        return { events: listed, count: listed.length, next: page.next };
      },
    }),
    endpoint({
      ...events,
      path: '/api/v1/events/:id',
      id: 'getEvent',
      summary: 'One event',
      params: { id: EVENT_ID },
      answer: wire.Event,
      errors: ['event_not_found'],
      entityTag: 'content',
      handle: ({ params }) => reader.one(params.id),
    }),
    endpoint({
      ...events,
      path: '/api/v1/events/:id/quote',
      id: 'quoteEvent',
      summary: 'The cheapest way to hold an outcome',
      description:
        'Compares YES of the outcome with NO of all the others, which convert into it and collateral. Amounts are by price level: each order that fills may round one unit more.',
      params: { id: EVENT_ID },
      query: {
        index: required(INDEX),
        side: withDefault(choiceOf(['buy'], 'What to do; only buying is quoted'), 'buy'),
        size: required(SIZE),
      },
      answer: wire.EventQuoteAnswer,
      errors: ['event_not_found'],
      handle: async ({ params, query: { index, size } }) => {
        const event = eventOf(reads, params.id);
        const { count } = event[0].event;
        if (index >= count) throw invalidField('index', `an integer below ${count}`, String(index));
        return toEventQuote(reads, event, { index, size });
      },
    }),
  ];
}
