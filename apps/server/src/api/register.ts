// Endpoints as routes of the server: each checks its caller before the body is read, and answers once the use of the token is durable.
import type { OperatorRight } from '@presage/protocol';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../auth/token-guard.ts';
import type { OperatorCaller } from '../operator/operator-guard.ts';
import type { Access, ApiRoute, Endpoint } from './endpoint.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Undefined if the endpoint requires no token and none was sent. */
    caller: Caller | undefined;
    /** Set on the endpoints of operators. */
    operator: OperatorCaller | undefined;
  }
}

export interface CallerGuard {
  /** Throws one of the nine 401s. */
  check(authorization: string | undefined): Caller;
}

interface OperatorTokens {
  /** Throws one of the nine 401s, or 403 `right_missing`. */
  check(authorization: string | undefined, right: OperatorRight | undefined): OperatorCaller;
}

interface Guards {
  readonly guard: CallerGuard;
  readonly operators: OperatorTokens;
  /** Without authentication only the endpoints for API keys require tokens; the others still identify a caller by one. */
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
function needsOperator(guard: OperatorTokens, right: OperatorRight | undefined) {
  return identifies((request) => {
    request.operator = guard.check(request.headers.authorization, right);
    return request.operator;
  });
}

/** Options of a route that needs a token. */
function needsToken(guard: CallerGuard) {
  return identifies((request) => {
    request.caller = guard.check(request.headers.authorization);
    return request.caller;
  });
}

/** Options of a route with an optional token: one that is sent must be valid, and identifies the caller. */
function takesToken(guard: CallerGuard) {
  return identifies((request) => {
    const { authorization } = request.headers;
    if (authorization !== undefined && authorization !== '') request.caller = guard.check(authorization);
    return request.caller;
  });
}

function identifies(identify: (request: FastifyRequest) => Caller | OperatorCaller | undefined) {
  return {
    onRequest: (request: FastifyRequest, _reply: FastifyReply, next: NextHook): void =>
      whenDecided(request, identify(request), next),
  };
}

type NextHook = (error?: Error) => void;

/** If another node decides whether a token was used, the request waits for it: a replay must have no effect. */
function whenDecided(request: FastifyRequest, caller: Caller | OperatorCaller | undefined, next: NextHook): void {
  if (!caller?.isDecidedElsewhere) {
    next();
    return;
  }
  caller.used.then(
    () => next(),
    (error: Error) => {
      // The request is refused with this error, so that its answer waits for nothing else.
      request.caller = undefined;
      request.operator = undefined;
      next(error);
    },
  );
}

/** Delays every answer until the use of its token is durable. */
export function holdAnswersForTokens(server: FastifyInstance): void {
  server.decorateRequest('caller', undefined);
  server.decorateRequest('operator', undefined);
  server.addHook('onSend', (request, _reply, payload, next) => {
    const { caller, operator } = request;
    if (caller === undefined && operator === undefined) return next(null, payload);
    Promise.all([caller?.used, operator?.used]).then(() => next(null, payload), next);
  });
}
