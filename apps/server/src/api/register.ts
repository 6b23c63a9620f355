// Endpoints as routes of the server: each with the check of its caller that its access asks for.
import type { FastifyInstance } from 'fastify';
import { type CallerGuard, needsOperator, needsToken, type OperatorTokens, takesToken } from './callers.ts';
import type { Access, ApiRoute, Endpoint } from './endpoint.ts';
import type { Routes } from './http-server.ts';

interface Guards {
  readonly guard: CallerGuard;
  readonly operators: OperatorTokens;
  /** Where authentication is off, tokens are asked for by the endpoints of the keys alone, and are an identity on all that take one. */
  readonly isAuthRequired: boolean;
}

export function routesOf(endpoints: readonly Endpoint[], guards?: Guards): Routes {
  return (server: FastifyInstance): void => {
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
