// Operator endpoints for events: an action on an event applies to all its markets.
import * as wire from '@presage/protocol/wire';
import type { Static } from 'typebox';
import type { NewEvent } from '../../operator/event-creations.ts';
import { bodyOf } from '../bodies.ts';
import { type Endpoint, endpoint } from '../endpoint.ts';
import { EventReader } from '../mappers/event.ts';
import type { ApiServices, OperatorPorts } from '../services.ts';
import { EVENT_ID } from './events.ts';
import { askedIn } from './operator.ts';

const operator = { tag: 'Operator', access: 'operator', answeredBy: 'settler', method: 'post' } as const;
const making = { ...operator, right: 'markets' } as const;

type Services = Pick<ApiServices, 'clock' | 'reads' | 'views' | 'presentation'>;
type Service = OperatorPorts['service'];

export function operatorEventEndpoints({ service }: OperatorPorts, services: Services): Endpoint[] {
  const reader = new EventReader(services);
  return [creationEndpoint(service), ...changeEndpoints(service, reader)];
}

function toNewEvent(input: Static<typeof wire.OperatorEventInput>): NewEvent {
  const { draft: _draft, reason: _reason, expiration, ...event } = input;
  return { ...event, expiration: Number(expiration) };
}

function creationEndpoint(service: Service): Endpoint {
  return endpoint({
    ...making,
    path: '/admin/v1/events',
    id: 'createEvent',
    summary: 'Create an event on chain, with a market for each outcome',
    description:
      'Answers when all outcomes are listed, when ten seconds brought none, or after thirty seconds; the remaining ones are listed later. A `key` makes it safe to send the same request again: it creates one event. With `draft` another operator confirms it.',
    body: bodyOf(wire.OperatorEventInput),
    answer: wire.CreatedEventAnswer,
    errors: [
      ...(['category_not_found', 'creator_not_configured', 'events_not_deployed'] as const),
      ...(['simulation_failed', 'chain_unavailable'] as const),
    ],
    approval: ({ body }) => {
      if (body.key !== undefined && service.state.plans.createdEvent(body.key) !== undefined) return undefined;
      service.events.check(toNewEvent(body));
      return { action: 'create-event', reason: body.reason, isDraft: body.draft };
    },
    handle: async ({ body, request }) => {
      const { eventId, isListed, isNew } = await service.events.create(askedIn(request, body), toNewEvent(body));
      return { eventId, listed: isListed, created: isNew };
    },
  });
}

function changeEndpoints(service: Service, reader: EventReader): Endpoint[] {
  return [
    endpoint({
      ...making,
      path: '/admin/v1/events/:id/texts',
      id: 'editEvent',
      summary: 'Change what an event and its markets say',
      description:
        'Question, description and source until the first trade in any of its markets, category and picture at any time. The names of outcomes stay.',
      params: { id: EVENT_ID },
      body: bodyOf(wire.MarketTextsInput),
      answer: wire.Event,
      errors: ['event_not_found', 'market_has_traded', 'category_not_found'],
      approval: ({ body: { reason } }) => ({ action: 'edit-market', reason }),
      handle: async ({ params: { id }, body: { reason, ...changes }, request }) => {
        await service.editEvent(askedIn(request, { reason }), id, changes);
        return reader.one(id);
      },
    }),
    endpoint({
      ...operator,
      right: 'trading',
      path: '/admin/v1/events/:id/pause',
      id: 'pauseEvent',
      summary: 'Refuse new orders in all markets of an event, or take them again',
      params: { id: EVENT_ID },
      body: bodyOf(wire.PauseInput),
      answer: wire.Event,
      errors: ['event_not_found'],
      approval: ({ body: { paused, reason } }) => ({ action: paused ? 'pause-market' : 'resume-market', reason }),
      handle: async ({ params: { id }, body, request }) => {
        await service.pauseEvent(askedIn(request, body), id, body.paused);
        return reader.one(id);
      },
    }),
    endpoint({
      ...making,
      path: '/admin/v1/events/:id/close',
      id: 'closeEvent',
      summary: 'End trading in all markets of an event before the expiration, for good',
      description: 'Resting orders are cancelled. The contract takes a result from the expiration on, not earlier.',
      params: { id: EVENT_ID },
      body: bodyOf(wire.ReasonInput),
      answer: wire.Event,
      errors: ['event_not_found', 'market_closed'],
      approval: ({ body: { reason } }) => ({ action: 'close-market', reason }),
      handle: async ({ params: { id }, body, request }) => {
        await service.closeEvent(askedIn(request, body), id);
        return reader.one(id);
      },
    }),
  ];
}
