// Operator endpoints for webhooks, failures, the audit log and operator keys.
import { LIMITS, PresageError, toSeconds } from '@presage/protocol';
import * as wire from '@presage/protocol/wire';
import Type from 'typebox';
import type { OperatorKey as Key } from '../../operator/operator-state.ts';
import { bodyOf } from '../bodies.ts';
import { type Endpoint, endpoint } from '../endpoint.ts';
import { cursorOf, listLimit, optional, textKind } from '../parameters.ts';
import type { ApiServices, OperatorPorts } from '../services.ts';
import { askedIn } from './operator.ts';

const operator = { tag: 'Operator', access: 'operator', answeredBy: 'settler' } as const;

const KEY_ID = textKind({
  schema: Type.String({ pattern: '^op_[0-9a-f]{24}$' }),
  description: 'The id of an operator key',
  expected: 'op_ and 24 hex digits',
  read: (text) => text,
});
const SUBJECT = textKind({
  schema: Type.String({ maxLength: 100 }),
  description: 'Only of this market, wallet, key or category',
  read: (text) => text.toLowerCase(),
});
const CURSOR = cursorOf(Type.String({ pattern: '^[0-9]{1,15}$' }), Number);

type Services = Pick<ApiServices, 'views' | 'clock'>;

export function operatorLogEndpoints(ports: OperatorPorts, services: Services): Endpoint[] {
  return [
    ...failureEndpoints(ports, services),
    ...webhookEndpoints(ports),
    ...auditEndpoints(ports),
    ...keyEndpoints(ports),
  ];
}

function webhookEndpoints({ service, webhooks }: OperatorPorts): Endpoint[] {
  return [
    endpoint({
      ...operator,
      method: 'get',
      right: 'read',
      path: '/admin/v1/webhooks',
      id: 'getWebhooks',
      summary: 'Events that the receiver of webhooks did not take',
      answer: wire.WebhookStatus,
      handle: async () => {
        const dead = webhooks?.deadLetters ?? [];
        const deadLetters = dead.map(({ id, topic, seq, data, reason, givenUpMs }) => {
          return { id, topic, seq, data: { ...data }, reason, givenUpAt: toSeconds(givenUpMs) };
        });
        return { enabled: webhooks !== undefined, deadLetters, count: deadLetters.length };
      },
    }),
    endpoint({
      ...operator,
      method: 'post',
      right: 'trading',
      path: '/admin/v1/webhooks/retry',
      id: 'retryWebhooks',
      summary: 'Send every dead letter once more',
      body: bodyOf(wire.WebhookRetryInput),
      answer: wire.WebhookRetryAnswer,
      handle: async ({ body, request }) => {
        const letters = webhooks?.deadLetters.length ?? 0;
        if (letters > 0) await service.retryWebhooks(askedIn(request, body), letters);
        const sent = (await webhooks?.retryDeadLetters()) ?? 0;
        return { sent, left: webhooks?.deadLetters.length ?? 0 };
      },
    }),
  ];
}

function failureEndpoints({ service }: OperatorPorts, { views, clock }: Services): Endpoint[] {
  return [
    endpoint({
      ...operator,
      method: 'get',
      right: 'read',
      path: '/admin/v1/failures',
      id: 'listFailures',
      summary: 'Operations that are stuck, by chain, and trades that failed',
      answer: wire.FailureList,
      errors: ['view_behind', 'database_unavailable'],
      handle: async () => {
        const failed = await views.listFailedTrades(clock.nowMs(), LIMITS.tradeHistory);
        const trades = failed.map(({ tradeId, marketId, faultParty, reason, failedMs }) => ({
          tradeId,
          marketId,
          faultParty,
          reason,
          failedAt: toSeconds(failedMs),
        }));
        return { chains: service.failures(), trades, count: trades.length };
      },
    }),
    endpoint({
      ...operator,
      method: 'post',
      right: 'trading',
      path: '/admin/v1/failures/retry',
      id: 'retryFailures',
      summary: 'Try again now what waits for its next attempt',
      description:
        'A trade that failed is final: its orders went back on the book or were cancelled, as its fault says.',
      body: bodyOf(wire.RetryInput),
      answer: wire.RetryAnswer,
      errors: ['chain_unavailable'],
      approval: ({ body: { reason } }) => ({ action: 'retry-failures', reason }),
      handle: async ({ body, request }) => ({ chains: await service.retry(askedIn(request, body), body.chainId) }),
    }),
  ];
}

function auditEndpoints({ service, audit }: OperatorPorts): Endpoint[] {
  return [
    endpoint({
      ...operator,
      method: 'get',
      right: 'read',
      path: '/admin/v1/actions',
      id: 'listActions',
      summary: 'The audit log: who did what, newest first',
      query: {
        subject: optional(SUBJECT),
        limit: listLimit(LIMITS.operatorActionsMax, LIMITS.operatorActions),
        cursor: optional(CURSOR),
      },
      answer: wire.OperatorActionList,
      errors: ['view_behind', 'database_unavailable'],
      handle: async ({ query: { subject, cursor, limit } }) => {
        const entries = await audit.list({ subject, beforeSeq: cursor, limit });
        const last = entries.length === limit ? entries.at(-1) : undefined;
        const actions = entries.map(({ timeMs, action, ...entry }) => ({
          ...entry,
          time: toSeconds(timeMs),
          actorName: service.state.find(entry.actor)?.name ?? null,
          action: { ...action },
        }));
        return { actions, count: actions.length, nextCursor: last === undefined ? null : String(last.seq) };
      },
    }),
  ];
}

function keyEndpoints({ service }: OperatorPorts): Endpoint[] {
  return [
    endpoint({
      ...operator,
      method: 'get',
      path: '/admin/v1/me',
      id: 'getOperator',
      summary: 'Whose key this is, and what it may do',
      answer: wire.OperatorKey,
      handle: async ({ request: { operator: caller } }) => {
        if (caller === undefined) throw new Error('an endpoint of operators was reached without one');
        return toKey(caller.key);
      },
    }),
    endpoint({
      ...operator,
      method: 'get',
      right: 'keys',
      path: '/admin/v1/keys',
      id: 'listOperatorKeys',
      summary: 'The keys of operators that may be used',
      answer: wire.OperatorKeyList,
      handle: async () => listKeys(service),
    }),
    endpoint({
      ...operator,
      method: 'post',
      right: 'keys',
      path: '/admin/v1/keys',
      id: 'addOperatorKey',
      summary: 'Add a key, or change the rights of one',
      description:
        'With `publicKey` the private half never leaves its owner; without, a pair is made and answered once.',
      body: bodyOf(wire.OperatorKeyInput),
      answer: wire.AddedOperatorKey,
      errors: ['operator_key_fixed', 'last_operator_key'],
      approval: ({ body: { reason, publicKey } }) => ({
        action: 'add-key',
        reason,
        check: () => requirePublicKey(publicKey),
      }),
      handle: async ({ body: { name, rights, publicKey, reason }, request }) => {
        const params = { name, rights, ...(publicKey !== undefined && { publicKey }) };
        const { key, privateKey = null } = await service.addKey(askedIn(request, { reason }), params);
        return { ...toKey(key), privateKey };
      },
    }),
    endpoint({
      ...operator,
      method: 'delete',
      right: 'keys',
      path: '/admin/v1/keys/:keyId',
      id: 'revokeOperatorKey',
      summary: 'Revoke a key',
      params: { keyId: KEY_ID },
      answer: wire.OperatorKeyList,
      errors: ['operator_key_not_found', 'operator_key_fixed', 'last_operator_key'],
      approval: () => ({ action: 'revoke-key', reason: undefined }),
      handle: async ({ params: { keyId }, request }) => {
        await service.revokeKey(askedIn(request, {}), keyId);
        return listKeys(service);
      },
    }),
  ];
}

/** Requires a public key with approvals: a key pair made here would show its private half to the confirming operator. */
function requirePublicKey(publicKey: string | undefined): void {
  if (publicKey !== undefined) return;
  const expected = 'a public key, since another operator confirms: make the pair with `presage admin keys new`';
  throw new PresageError('invalid_field', { field: 'publicKey', expected, got: null });
}

function listKeys({ state }: OperatorPorts['service']) {
  const keys = state.keys().map(toKey);
  return { keys, count: keys.length };
}

function toKey({ keyId, name, rights, isFixed }: Key) {
  return { keyId, name, rights: [...rights], fixed: isFixed };
}
