// Endpoints as routes of the server: each checks its caller before the body is read, and answers once the use of the token is durable.
import type { OperatorRight } from '@presage/protocol';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ApiKey } from '../auth/key-registry.ts';
import type { CheckedToken, TokenChecker } from '../auth/token-checker.ts';
import type { Operator } from '../operator/open.ts';
import type { OperatorKey } from '../operator/operator-state.ts';
import type { Access, ApiRoute, Endpoint } from './endpoint.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Undefined if the endpoint requires no token and none was sent. */
    caller: CheckedToken<ApiKey> | undefined;
    /** Set on the endpoints of operators. */
    operator: CheckedToken<OperatorKey> | undefined;
  }
}

interface Guards {
  readonly guard: TokenChecker<ApiKey>;
  readonly operator: Pick<Operator, 'check'>;
  /** Without authentication only the endpoints for API keys require tokens; the others still identify a caller by one. */
  readonly isAuthRequired: boolean;
}

export function routesOf(endpoints: readonly Endpoint[], guards?: Guards): (server: FastifyInstance) => void {
  return (server) => {
    for (const { method, path, access = 'public', right, isShedFirst = false, options, handler } of endpoints) {
      const identify = guards && identifierOf(access, right, guards);
      const onRequest = (request: FastifyRequest, _reply: FastifyReply, next: NextHook) =>
        whenDecided(request, identify?.(request), next);
      server.route<ApiRoute>({
        ...options,
        ...(identify && { onRequest }),
        config: { isShedFirst },
        method: method.toUpperCase(),
        url: path,
        handler,
      });
    }
  };
}

type Identify = (request: FastifyRequest) => CheckedToken<unknown> | undefined;

/** Undefined if the endpoint asks for no token. An optional token that is sent must be valid, and identifies the caller. */
function identifierOf(access: Access, right: OperatorRight | undefined, guards: Guards): Identify | undefined {
  const { guard, operator, isAuthRequired } = guards;
  if (access === 'operator') {
    return (request) => {
      request.operator = operator.check(request.headers.authorization, right);
      return request.operator;
    };
  }
  if (access === 'public' || access === 'wallet') return undefined;
  const isRequired = access === 'key' || (access === 'token' && isAuthRequired);
  return (request) => {
    const { authorization } = request.headers;
    if (isRequired || authorization) request.caller = guard.check(authorization);
    return request.caller;
  };
}

type NextHook = (error?: Error) => void;

/** If another node decides whether a token was used, the request waits for it: a replay must have no effect. */
function whenDecided(request: FastifyRequest, caller: CheckedToken<unknown> | undefined, next: NextHook): void {
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
