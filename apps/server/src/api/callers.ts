// Who asks, on endpoints that take a token: it is checked before the body is read, its use durable before the answer.

import type { OperatorRight } from '@presage/protocol';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Caller } from '../auth/token-guard.ts';
import type { OperatorCaller } from '../operator/operator-guard.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Undefined where no token was asked for. */
    caller: Caller | undefined;
    /** On the endpoints of operators. */
    operator: OperatorCaller | undefined;
  }
}

export interface CallerGuard {
  /** Throws one of the nine 401s. */
  check(authorization: string | undefined): Caller;
}

export interface OperatorTokens {
  /** Throws one of the nine 401s, or 403 `right_missing`. */
  check(authorization: string | undefined, right: OperatorRight | undefined): OperatorCaller;
}

/** Options of a route that an operator calls. */
export function needsOperator(guard: OperatorTokens, right: OperatorRight | undefined) {
  return {
    onRequest: async (request: FastifyRequest): Promise<void> => {
      request.operator = await settled(guard.check(request.headers.authorization, right));
    },
  };
}

/** Options of a route that needs a token. */
export function needsToken(guard: CallerGuard) {
  return {
    onRequest: async (request: FastifyRequest): Promise<void> => {
      request.caller = await settled(guard.check(request.headers.authorization));
    },
  };
}

/** Options of a route that takes a token without asking for one: a caller who sends one is who it says, or is refused. */
export function takesToken(guard: CallerGuard) {
  return {
    onRequest: async (request: FastifyRequest): Promise<void> => {
      const { authorization } = request.headers;
      if (authorization === undefined || authorization === '') return;
      request.caller = await settled(guard.check(authorization));
    },
  };
}

/** Where another node says whether a token was used, nothing is done before it has: a replay must not come to anything. */
async function settled<C extends Caller | OperatorCaller>(caller: C): Promise<C> {
  if (caller.isDecidedElsewhere) await caller.used;
  return caller;
}

/** No answer of any kind leaves before the use of its token is durable. */
export function holdAnswersForTokens(server: FastifyInstance): void {
  server.decorateRequest('caller', undefined);
  server.decorateRequest('operator', undefined);
  server.addHook('onSend', async (request) => {
    await Promise.all([request.caller?.used, request.operator?.used]);
  });
}
