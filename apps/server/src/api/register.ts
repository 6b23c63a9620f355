// Endpoints as routes of the server: each with the check of its caller that its access asks for.
import type { FastifyInstance } from 'fastify';
import { type CallerGuard, needsToken } from './callers.ts';
import type { Access, ApiRoute, Endpoint } from './endpoint.ts';
import type { Routes } from './http-server.ts';

interface Guards {
  readonly guard: CallerGuard;
  /** Where authentication is off, tokens are asked for by the endpoints of the keys alone. */
  readonly isAuthRequired: boolean;
}

export function routesOf(endpoints: readonly Endpoint[], guards?: Guards): Routes {
  return (server: FastifyInstance): void => {
    for (const { method, path, access = 'public', options, handler } of endpoints) {
      const hooks = isGuarded(access, guards) ? needsToken(guards.guard) : {};
      server.route<ApiRoute>({ ...options, ...hooks, method: method.toUpperCase(), url: path, handler });
    }
  };
}

function isGuarded(access: Access, guards: Guards | undefined): guards is Guards {
  if (guards === undefined) return false;
  return access === 'key' || (access === 'token' && guards.isAuthRequired);
}
