// Approvals by a second operator: an endpoint that needs one answers 202; these endpoints list, confirm and reject waiting requests.
import { PresageError, parseJson, stringifyJson, toSeconds } from '@presage/protocol';
import * as wire from '@presage/protocol/wire';
import Type from 'typebox';
import type { Approvals } from '../../operator/approvals.ts';
import type { PendingApproval } from '../../operator/pending-approvals.ts';
import { bodyOf } from '../bodies.ts';
import { type Endpoint, endpoint } from '../endpoint.ts';
import { textKind } from '../parameters.ts';
import type { OperatorPorts } from '../services.ts';
import { askedIn } from './operator.ts';

const operator = { tag: 'Operator', access: 'operator', answeredBy: 'settler' } as const;
const errors = ['approval_not_found', 'approval_expired'] as const;
const APPROVAL_ID = textKind({
  schema: Type.String({ pattern: '^ap_[0-9a-f]{24}$' }),
  description: 'The id of a request that waits for a confirmation',
  expected: 'ap_ and 24 hex digits',
  read: (text) => text,
});

/** Wraps operator endpoints that may need an approval first, and adds the endpoints for approvals. */
export function withApprovals({ approvals }: OperatorPorts, endpoints: readonly Endpoint[]): Endpoint[] {
  const guarded = endpoints.map((each) => askFirst(approvals, each));
  return [...guarded, ...approvalEndpoints(approvals, endpoints)];
}

function askFirst(approvals: Approvals, target: Endpoint): Endpoint {
  const { approvalFor, handler } = target;
  if (approvalFor === undefined) return target;
  return {
    ...target,
    handler: async (request, reply) => {
      const needed = approvalFor(request, reply);
      if (needed === undefined || !(needed.isDraft || approvals.isRequired(needed.action)))
        return handler(request, reply);
      needed.check?.();
      const body = stringifyJson(request.body ?? {});
      const asked = askedIn(request, { reason: needed.reason });
      const asking = { action: needed.action, operation: target.id, params: request.params, body };
      const pending = await approvals.request(asked, asking);
      reply.code(202);
      return { approval: toApproval(approvals, pending) };
    },
  };
}

function approvalEndpoints(approvals: Approvals, endpoints: readonly Endpoint[]): Endpoint[] {
  const targets = new Map(endpoints.map((each) => [each.id, each]));
  return [
    endpoint({
      ...operator,
      method: 'get',
      right: 'read',
      path: '/admin/v1/approvals',
      id: 'listApprovals',
      summary: 'Actions that wait for a second operator, oldest first',
      answer: wire.ApprovalList,
      handle: async () => {
        const list = approvals.list().map((pending) => toApproval(approvals, pending));
        return { approvals: list, count: list.length };
      },
    }),
    endpoint({
      ...operator,
      method: 'post',
      right: 'read',
      path: '/admin/v1/approvals/:approvalId/confirm',
      id: 'confirmApproval',
      summary: 'Do what another operator asked for',
      description:
        'Needs the right of the action too, and another key than the one that asked. The action is recorded in the name of the key that asked, with the one that confirmed. An action that is refused goes on waiting.',
      params: { approvalId: APPROVAL_ID },
      answer: wire.ConfirmedApproval,
      errors: [...errors, 'approval_by_requester'],
      handle: ({ params: { approvalId }, request, reply }) => {
        const by = request.operator;
        if (by === undefined) throw new Error('an endpoint of operators was reached without one');
        return approvals.confirm(approvalId, by.key, async ({ operation, params, body, action }, requester) => {
          const target = targets.get(operation);
          if (target === undefined) throw new PresageError('approval_not_found', { approvalId });
          requireRight(target, by.key);
          // The requester may have lost its rights since.
          requireRight(target, requester);
          // From here on the request is the requester's.
          Object.assign(request, { params, body: parseJson(body), operator: { ...by, key: requester } });
          request.approval = { id: approvalId, by: by.key.keyId };
          return { approvalId, action, result: await target.handler(request, reply) };
        });
      },
    }),
    endpoint({
      ...operator,
      method: 'post',
      right: 'read',
      path: '/admin/v1/approvals/:approvalId/reject',
      id: 'rejectApproval',
      summary: 'Drop what an operator asked for',
      description: 'The key that asked may, too.',
      params: { approvalId: APPROVAL_ID },
      body: bodyOf(wire.ReasonInput),
      answer: wire.RejectedApproval,
      errors,
      handle: async ({ params: { approvalId }, body, request }) => {
        await approvals.reject(askedIn(request, body), approvalId);
        return { approvalId, rejected: true as const };
      },
    }),
  ];
}

function requireRight({ right }: Endpoint, { rights }: { readonly rights: readonly string[] }): void {
  if (right !== undefined && !rights.includes(right))
    throw new PresageError('right_missing', { right, rights: [...rights] });
}

function toApproval(approvals: Approvals, pending: PendingApproval) {
  const { approvalId, action, operation, params, body, actor, reason, requestedMs, expiresMs } = pending;
  return {
    approvalId,
    action,
    operation,
    params: { ...params },
    // The body is an object: anything else was refused with the request.
    body: parseJson(body) as Record<string, unknown>,
    requestedBy: actor,
    requestedByName: approvals.nameOf(actor) ?? null,
    reason,
    requestedAt: toSeconds(requestedMs),
    expiresAt: toSeconds(expiresMs),
  };
}
