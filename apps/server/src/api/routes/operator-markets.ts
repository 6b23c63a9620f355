// Operator endpoints that create markets: immediately, on schedule, from templates, and as a draft.
import type { MarketTemplate } from '@presage/protocol';
import * as wire from '@presage/protocol/wire';
import Type, { type Static } from 'typebox';
import type { NewMarket } from '../../operator/market-creations.ts';
import type { ScheduledMarket } from '../../operator/market-plans.ts';
import { bodyOf, checkerOf } from '../bodies.ts';
import { type Endpoint, endpoint } from '../endpoint.ts';
import { textKind } from '../parameters.ts';
import type { OperatorPorts } from '../services.ts';
import { askedIn } from './operator.ts';

const operator = { tag: 'Operator', access: 'operator', answeredBy: 'settler', right: 'markets' } as const;
const errors = [
  ...(['category_not_found', 'template_not_found', 'creator_not_configured'] as const),
  ...(['simulation_failed', 'chain_unavailable'] as const),
] as const;
const SCHEDULE_ID = textKind({
  schema: Type.String({ pattern: '^[\\x21-\\x7e]{1,100}$' }),
  description: 'The id of a scheduled market',
  read: (text) => text,
});
const TEMPLATE_ID = textKind({
  schema: Type.String({ pattern: '^[a-z0-9][a-z0-9-]{0,39}$' }),
  description: 'The id of a template',
  read: (text) => text,
});

type Service = OperatorPorts['service'];
const checkComplete = checkerOf(wire.CompleteMarket);

export function operatorMarketEndpoints({ service }: OperatorPorts): Endpoint[] {
  return [...creationEndpoints(service), ...scheduleEndpoints(service), ...templateEndpoints(service)];
}

/** Fills the template, if one is named; given fields override the template's. */
function toNewMarket(service: Service, input: Static<typeof wire.OperatorMarketInput>, listAt?: number): NewMarket {
  const { template, values = {}, key, draft: _draft, reason: _reason, ...given } = input;
  const filled = template === undefined ? {} : service.markets.fill(template, values, listAt);
  const { expiration, ...market } = checkComplete({ ...filled, ...given });
  return { ...market, expiration: Number(expiration), ...(key !== undefined && { key }) };
}

function creationEndpoints(service: Service): Endpoint[] {
  return [
    endpoint({
      ...operator,
      method: 'post',
      path: '/admin/v1/markets',
      id: 'createMarket',
      summary: 'Create a market on chain',
      description:
        'Answers when it is listed, or after ten seconds; a slow chain lists it later, under the same id. A `key` makes it safe to send the same request again: it creates one market. With `draft` another operator confirms it.',
      body: bodyOf(wire.OperatorMarketInput),
      answer: wire.CreatedMarketAnswer,
      errors,
      approval: ({ body }) => {
        if (body.key !== undefined && service.state.plans.created(body.key) !== undefined) return undefined;
        toNewMarket(service, body);
        return { action: 'create-market', reason: body.reason, isDraft: body.draft };
      },
      handle: async ({ body, request }) => {
        const { marketId, isListed, isNew } = await service.markets.create(
          askedIn(request, body),
          toNewMarket(service, body),
        );
        return { marketId, listed: isListed, created: isNew };
      },
    }),
    endpoint({
      ...operator,
      method: 'post',
      path: '/admin/v1/markets/check',
      id: 'checkMarket',
      summary: 'What a market would be; nothing is created',
      description: 'Fills the template, and lets the chain simulate the creation.',
      body: bodyOf(wire.OperatorMarketInput),
      answer: wire.CheckedMarketAnswer,
      errors,
      handle: async ({ body }) => {
        const { marketId, isNew, planned } = await service.markets.check(toNewMarket(service, body));
        const { texts, ...terms } = planned;
        return { marketId, created: !isNew, ...texts, ...terms };
      },
    }),
  ];
}

function scheduleEndpoints(service: Service): Endpoint[] {
  const list = () => {
    const scheduled = service.state.plans.scheduled().map(toScheduled);
    return { scheduled, count: scheduled.length };
  };
  return [
    endpoint({
      ...operator,
      method: 'get',
      right: 'read',
      path: '/admin/v1/schedule',
      id: 'listSchedule',
      summary: 'Markets that are created at a time',
      answer: wire.Schedule,
      handle: async () => list(),
    }),
    endpoint({
      ...operator,
      method: 'post',
      path: '/admin/v1/schedule',
      id: 'scheduleMarket',
      summary: 'Create a market at a time',
      description:
        'Until `listAt` nobody sees it; then it is created and can be traded as soon as its block is there. A `key` is its id: the same request is scheduled once.',
      body: bodyOf(wire.ScheduleMarketInput),
      answer: wire.ScheduledMarket,
      errors: [...errors, 'schedule_not_found', 'too_many_plans'],
      approval: ({ body }) => {
        if (body.key !== undefined && service.state.plans.findScheduled(body.key) !== undefined) return undefined;
        toNewMarket(service, body, Number(body.listAt));
        return { action: 'schedule-market', reason: body.reason, isDraft: body.draft };
      },
      handle: async ({ body: { listAt, ...body }, request }) => {
        const at = Number(listAt);
        const market = toNewMarket(service, body, at);
        return toScheduled(await service.markets.schedule(askedIn(request, body), market, at));
      },
    }),
    endpoint({
      ...operator,
      method: 'delete',
      path: '/admin/v1/schedule/:scheduleId',
      id: 'cancelSchedule',
      summary: 'Do not create a scheduled market',
      params: { scheduleId: SCHEDULE_ID },
      answer: wire.Schedule,
      errors: ['schedule_not_found'],
      approval: () => ({ action: 'cancel-schedule', reason: undefined }),
      handle: async ({ params: { scheduleId }, request }) => {
        await service.markets.cancelSchedule(askedIn(request, {}), scheduleId);
        return list();
      },
    }),
  ];
}

function templateEndpoints(service: Service): Endpoint[] {
  const list = () => {
    const templates = service.state.plans.templates().map(([id, template]) => ({ id, ...template }));
    return { templates, count: templates.length };
  };
  return [
    endpoint({
      ...operator,
      method: 'get',
      right: 'read',
      path: '/admin/v1/templates',
      id: 'listTemplates',
      summary: 'Templates of markets',
      answer: wire.TemplateList,
      handle: async () => list(),
    }),
    endpoint({
      ...operator,
      method: 'post',
      path: '/admin/v1/templates',
      id: 'defineTemplate',
      summary: 'Define a template of markets, or change one',
      description: 'Texts may have placeholders such as {team}. Markets that were made from it stay as they are.',
      body: bodyOf(wire.TemplateInput),
      answer: wire.TemplateList,
      errors: ['too_many_plans'],
      approval: ({ body: { reason } }) => ({ action: 'define-template', reason }),
      handle: async ({ body: { id, reason, ...template }, request }) => {
        await service.markets.defineTemplate(askedIn(request, { reason }), id, toTemplate(template));
        return list();
      },
    }),
    endpoint({
      ...operator,
      method: 'delete',
      path: '/admin/v1/templates/:id',
      id: 'removeTemplate',
      summary: 'Remove a template',
      params: { id: TEMPLATE_ID },
      answer: wire.TemplateList,
      errors: ['template_not_found'],
      approval: () => ({ action: 'remove-template', reason: undefined }),
      handle: async ({ params: { id }, request }) => {
        await service.markets.removeTemplate(askedIn(request, {}), id);
        return list();
      },
    }),
  ];
}

function toTemplate(given: Omit<Static<typeof wire.TemplateInput>, 'id' | 'reason'>): MarketTemplate {
  return { description: '', source: '', category: 'general', imageUrl: '', earlyResolution: false, ...given };
}

function toScheduled({ scheduleId, listAt, market, actor }: ScheduledMarket) {
  const { texts, expiration, chainId } = market;
  return { scheduleId, listAt, question: texts.question, expiration, chainId, scheduledBy: actor };
}
