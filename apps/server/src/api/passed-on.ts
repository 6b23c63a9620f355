// Requests that another node answers, by what their endpoints say.
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { PresageError } from '@presage/protocol';
import type { Endpoint } from './endpoint.ts';
import type { Diversion } from './http-listener.ts';
import { toRefusalBody } from './refusals.ts';

/** Lets another node answer the whole request. */
export type PassOn = (request: IncomingMessage, response: ServerResponse, body: Buffer) => void;

/** Decides by path alone: the same node answers all methods of a path, including preflights. */
export function divertToSettler(endpoints: readonly Endpoint[], passOn: PassOn): Diversion {
  const patterns = endpoints.filter(({ answeredBy }) => answeredBy === 'settler').map(({ path }) => toPattern(path));
  return (request, response, bodies) => {
    const path = (request.url ?? '/').split('?')[0] ?? '/';
    const isSettlers = patterns.some((pattern) => pattern.test(path));
    if (!isSettlers) return false;
    bodies.receive(request, (outcome) => {
      if (Buffer.isBuffer(outcome)) passOn(request, response, outcome);
      else refuse(response, outcome);
    });
    return true;
  };
}

function refuse(response: ServerResponse, error: PresageError): void {
  const headers = { 'Content-Type': 'application/json; charset=utf-8', 'Retry-After': '1' };
  response.writeHead(error.status, headers).end(JSON.stringify(toRefusalBody(error, randomUUID())));
}

/** Converts a path such as `/api/v1/positions/:market/sync`. */
function toPattern(path: string): RegExp {
  const parts = path.split('/').map((part) => (part.startsWith(':') ? '[^/]+' : part.replace(/[^\w-]/g, '\\$&')));
  return new RegExp(`^${parts.join('/')}/?$`);
}
