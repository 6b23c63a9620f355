// Diverts requests that the settler answers, as their endpoints declare.
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { PresageError } from '@presage/protocol';
import type { ProxySettings } from '../config/proxy-settings.ts';
import type { Endpoint } from './endpoint.ts';
import { pathOf } from './http/request.ts';
import { Router } from './http/router.ts';
import type { Diversion } from './http-listener.ts';
import { ReaderPlaces } from './reader-places.ts';
import { toPresageError, toRefusalBody } from './refusals.ts';
import { ClientAddresses, NO_PROXIES } from './request-origin.ts';

/** Forwards a whole request to another node, which answers it. */
export type PassOn = (request: IncomingMessage, response: ServerResponse, body: Buffer) => void;

/** Limit on requests in progress at the settler, to which all come from this node; those of 16 lanes fit into its connections. */
const MOST_PASSED = 500;

interface DiversionBounds {
  readonly proxies?: ProxySettings;
  readonly most?: number;
}

/**
 * Decides by path alone: the same node answers all methods of a path, including preflights. Decodes paths as the routes do: a
 * percent-encoded letter must not make this node answer a request that only the settler can.
 */
export function divertToSettler(
  endpoints: readonly Endpoint[],
  passOn: PassOn,
  { proxies = NO_PROXIES, most = MOST_PASSED }: DiversionBounds = {},
): Diversion {
  const addresses = new ClientAddresses(proxies);
  const places = new ReaderPlaces(most);
  const settlers = new Router<Pick<Endpoint, 'method' | 'path'>>();
  for (const each of endpoints) if (each.answeredBy === 'settler') settlers.add(each);
  const covers: Diversion['covers'] = (path) => isAnsweredAt(settlers, path);
  const divert = (...[request, response, bodies]: Parameters<Diversion>) => {
    if (!covers(pathOf(request.url ?? '/'))) return false;
    const { address } = addresses.originOf(request);
    const onReceived = (outcome: Buffer | PresageError) => {
      try {
        if (outcome instanceof PresageError) throw outcome;
        response.once(
          'close',
          places.take(address, () => request.socket.destroy()),
        );
        passOn(request, response, outcome);
      } catch (error) {
        refuse(response, toPresageError(error));
      }
    };
    bodies.receive(request, onReceived, address);
    return true;
  };
  return Object.assign(divert, { covers });
}

function refuse(response: ServerResponse, error: PresageError): void {
  const headers = { 'Content-Type': 'application/json; charset=utf-8', 'Retry-After': '1' };
  response.writeHead(error.status, headers).end(JSON.stringify(toRefusalBody(error, randomUUID())));
}

/** Whether a route exists at the path; false if it cannot be decoded, which the routes then refuse. */
function isAnsweredAt(router: Pick<Router<never>, 'methodsAt'>, path: string): boolean {
  try {
    return router.methodsAt(path).length > 0;
  } catch {
    return false;
  }
}
