// Who asks, on routes that write: the token is checked before the body is read, its use durable before the answer.
import type { Address } from '@presage/protocol';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Caller } from '../auth/token-guard.ts';

export interface CallerGuard {
  /** Throws one of the nine 401s. */
  check(authorization: string | undefined): Caller;
}

const CALLER = Symbol('caller');
type Marked = FastifyRequest & { [CALLER]?: Caller };

/** Options of a route that needs a token wherever authentication is on. */
export function needsToken(guard: CallerGuard | undefined) {
  if (guard === undefined) return {};
  return {
    onRequest: async (request: FastifyRequest): Promise<void> => {
      (request as Marked)[CALLER] = guard.check(request.headers.authorization);
    },
  };
}

/** No answer of any kind leaves before the use of its token is durable. */
export function holdAnswersForTokens(server: FastifyInstance): void {
  server.addHook('onSend', async (request) => {
    await (request as Marked)[CALLER]?.used;
  });
}

/** Undefined where authentication is off. */
export function callerOf(request: FastifyRequest): Caller | undefined {
  return (request as Marked)[CALLER];
}

export function walletOf(request: FastifyRequest): Address | undefined {
  return callerOf(request)?.owner;
}
