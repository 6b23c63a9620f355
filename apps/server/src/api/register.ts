// Endpoints as routes of the server: each checks its caller before the body is read, and answers once the use of the token is durable.
import type { OperatorRight } from '@presage/protocol';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../auth/token-guard.ts';
import type { OperatorCaller } from '../operator/operator-guard.ts';
import type { Access, ApiRoute, Endpoint } from './endpoint.ts';

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

interface Guards {
  readonly guard: CallerGuard;
  readonly operators: OperatorTokens;
  /** Where authentication is off, tokens are asked for by the endpoints of the keys alone, and are an identity on all that take one. */
  readonly isAuthRequired: boolean;
}

export function routesOf(endpoints: readonly Endpoint[], guards?: Guards): (server: FastifyInstance) => void {
  return (server) => {
    for (const { method, path, access = 'public', right, isShedFirst = false, options, handler } of endpoints) {
      const hooks =
        guards === undefined
          ? {}
          : access === 'operator'
            ? needsOperator(guards.operators, right)
            : hooksOf(access, guards);
      server.route<ApiRoute>({
        ...options,
        ...hooks,
        config: { isShedFirst },
        method: method.toUpperCase(),
        url: path,
        handler,
      });
    }
  };
}

function hooksOf(access: Access, { guard, isAuthRequired }: Guards) {
  if (access === 'key' || (access === 'token' && isAuthRequired)) return needsToken(guard);
  return access === 'token' || access === 'identity' ? takesToken(guard) : {};
}

/** Options of a route that an operator calls. */
export function needsOperator(guard: OperatorTokens, right: OperatorRight | undefined) {
  return {
    onRequest: (request: FastifyRequest, _reply: FastifyReply, next: NextHook): void => {
      const caller = guard.check(request.headers.authorization, right);
      request.operator = caller;
      whenDecided(request, caller, next);
    },
  };
}

/** Options of a route that needs a token. */
export function needsToken(guard: CallerGuard) {
  return {
    onRequest: (request: FastifyRequest, _reply: FastifyReply, next: NextHook): void => {
      const caller = guard.check(request.headers.authorization);
      request.caller = caller;
      whenDecided(request, caller, next);
    },
  };
}

/** Options of a route that takes a token without asking for one: a caller who sends one is who it says, or is refused. */
export function takesToken(guard: CallerGuard) {
  return {
    onRequest: (request: FastifyRequest, _reply: FastifyReply, next: NextHook): void => {
      const { authorization } = request.headers;
      if (authorization === undefined || authorization === '') {
        next();
        return;
      }
      const caller = guard.check(authorization);
      request.caller = caller;
      whenDecided(request, caller, next);
    },
  };
}

type NextHook = (error?: Error) => void;

/** Where another node says whether a token was used, nothing is done before it has: a replay must not come to anything. */
function whenDecided(request: FastifyRequest, caller: Caller | OperatorCaller, next: NextHook): void {
  if (!caller.isDecidedElsewhere) {
    next();
    return;
  }
  caller.used.then(
    () => next(),
    (error: Error) => {
      // Refused with it already: the answer waits for nothing more.
      request.caller = undefined;
      request.operator = undefined;
      next(error);
    },
  );
}

/** No answer of any kind leaves before the use of its token is durable. */
export function holdAnswersForTokens(server: FastifyInstance): void {
  server.decorateRequest('caller', undefined);
  server.decorateRequest('operator', undefined);
  server.addHook('onSend', (request, _reply, payload, next) => {
    const { caller, operator } = request;
    if (caller === undefined && operator === undefined) return next(null, payload);
    Promise.all([caller?.used, operator?.used]).then(() => next(null, payload), next);
  });
}
