// A request as handlers see it, and the route that answers it.
import { randomUUID } from 'node:crypto';
import { type IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { parse as parseQuery } from 'node:querystring';
import type { OperatorActed } from '@presage/protocol';
import type { WebSocket } from 'ws';
import type { ApiKey } from '../../auth/key-registry.ts';
import type { CheckedToken } from '../../auth/token-checker.ts';
import type { OrderTurn } from '../../host/ports.ts';
import type { CheckedOperator } from '../../operator/signed-request.ts';
import type { RawQuery } from '../parameters.ts';
import type { RawRequest } from './exchange.ts';
import type { HttpReply } from './reply.ts';

export interface Route {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** `/api/v1/markets/:id`. */
  readonly path: string;
  /** HEAD is answered like GET without a body, unless this is false. */
  readonly hasHead?: boolean;
  /** The answer is written piece by piece, which node:http must do. */
  readonly isStreamed?: boolean;
  /** Waits for its turn when more orders come than can be answered, and is refused first. */
  readonly isShedFirst?: boolean;
  /** Checks the token of the caller before the body is read, and notes who it is. */
  readonly identify?: ((request: HttpRequest) => CheckedToken<unknown> | undefined) | undefined;
  /** A read that says what became of a write: its answer says how far the journal is, as the answer to a write does. */
  readonly tellsPosition?: boolean;
  /** Returns or resolves to the answer, or sends it by itself. */
  readonly handler: (request: HttpRequest, reply: HttpReply) => unknown;
  /** Takes an upgraded connection. */
  readonly onUpgrade?: (socket: WebSocket, request: HttpRequest) => void;
  /** Gives a failure of this route another name. */
  readonly toRefusal?: (cause: unknown) => unknown;
}

/** The URL of a request without its query and without the fragment that no client should send. */
export function pathOf(url: string): string {
  const end = url.search(/[?#]/);
  return end === -1 ? url : url.slice(0, end);
}

export class HttpRequest {
  readonly raw: RawRequest;
  readonly id: string = randomUUID();
  readonly startedMs = performance.now();
  readonly method: string;
  readonly url: string;
  /** The URL without its query. */
  readonly path: string;
  /** Address of the client, as far as trusted proxies know it. */
  address = '';
  /** Undefined if nobody answers at this path with this method. */
  route: Route | undefined = undefined;
  params: Readonly<Record<string, string>> = {};
  body: unknown = undefined;
  /** The whole body, once it has arrived. */
  receivedBody: Buffer | undefined = undefined;
  /** Undefined if the endpoint requires no token and none was sent. */
  caller: CheckedToken<ApiKey> | undefined = undefined;
  /** Set on the endpoints of operators. */
  operator: CheckedOperator | undefined = undefined;
  /** The request of another operator that this one confirmed, once it is being done. */
  approval: OperatorActed['approval'] = undefined;
  /** Where it waits for its turn with other orders. */
  turn: OrderTurn | undefined = undefined;
  /** Refused because of load: an order that got no turn, or a body without room. */
  isShed = false;
  #query: RawQuery | undefined = undefined;

  constructor(raw: RawRequest) {
    this.raw = raw;
    this.method = raw.method ?? 'GET';
    this.url = raw.url ?? '/';
    this.path = pathOf(this.url);
  }

  get headers(): IncomingHttpHeaders {
    return this.raw.headers;
  }

  /** The request as node reads it, if its body did not come with its headers. */
  get streamed(): IncomingMessage {
    if (this.raw instanceof IncomingMessage) return this.raw;
    throw new Error('the whole request was read at once: nothing of it is left to be received');
  }

  get socket(): Socket {
    return this.raw.socket;
  }

  /** Several values under one name are a list. */
  get query(): RawQuery {
    this.#query ??= readQuery(this.url);
    return this.#query;
  }
}

const NO_QUERY: RawQuery = {};

function readQuery(url: string): RawQuery {
  const at = url.indexOf('?');
  return at === -1 ? NO_QUERY : parseQuery(url.slice(at + 1).split('#', 1)[0] ?? '');
}
