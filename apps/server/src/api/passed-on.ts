// Requests that another node answers, by what their endpoints say.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Endpoint } from './endpoint.ts';
import type { Diversion } from './http-listener.ts';

/** Has another node answer a request, whole. */
export type PassOn = (request: IncomingMessage, response: ServerResponse) => void;

/** By path alone: whoever answers one method of it answers all, with preflights. */
export function divertToSettler(endpoints: readonly Endpoint[], passOn: PassOn): Diversion {
  const patterns = endpoints.filter(({ answeredBy }) => answeredBy === 'settler').map(({ path }) => toPattern(path));
  return (request, response) => {
    const path = (request.url ?? '/').split('?')[0] ?? '/';
    const isSettlers = patterns.some((pattern) => pattern.test(path));
    if (isSettlers) passOn(request, response);
    return isSettlers;
  };
}

/** From `/api/v1/positions/:market/sync`. */
function toPattern(path: string): RegExp {
  const parts = path.split('/').map((part) => (part.startsWith(':') ? '[^/]+' : part.replace(/[^\w-]/g, '\\$&')));
  return new RegExp(`^${parts.join('/')}/?$`);
}
