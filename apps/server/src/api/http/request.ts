// A request as handlers see it, and the type of routes.
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
  /** Path with parameters after colons: `/api/v1/markets/:id`. */
  readonly path: string;
  /** Whether HEAD is answered, like GET without a body; true by default. */
  readonly hasHead?: boolean;
  /** Whether the answer is written piece by piece, which needs node:http. */
  readonly isStreamed?: boolean;
  /** Whether requests queue under load and are refused first, as new orders are. */
  readonly isShedFirst?: boolean;
  /** Checks the caller's token before the body is read, and returns it. */
  readonly identify?: ((request: HttpRequest) => CheckedToken<unknown> | undefined) | undefined;
  /** Whether the answer tells the journal's position, as answers to writes do; for reads that report the result of a write. */
  readonly tellsPosition?: boolean;
  /** Returns or resolves to the answer, or sends it itself. */
  readonly handler: (request: HttpRequest, reply: HttpReply) => unknown;
  /** Takes over an upgraded connection. */
  readonly onUpgrade?: (socket: WebSocket, request: HttpRequest) => void;
  /** Translates an error of this route. */
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
  /** Client's address, as named by trusted proxies. */
  address = '';
  /** Undefined if no route has this path and method. */
  route: Route | undefined = undefined;
  params: Readonly<Record<string, string>> = {};
  body: unknown = undefined;
  /** The whole body; undefined until it has arrived. */
  receivedBody: Buffer | undefined = undefined;
  /** Undefined if the endpoint requires no token and none was sent. */
  caller: CheckedToken<ApiKey> | undefined = undefined;
  /** Set on operator endpoints. */
  operator: CheckedOperator | undefined = undefined;
  /** Approval that this request carries out: set once the request of another operator is confirmed and executed. */
  approval: OperatorActed['approval'] = undefined;
  /** Turn of an order that passed the gate. */
  turn: OrderTurn | undefined = undefined;
  /** Whether it was refused because of load: an order without a turn, or a body without room. */
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

  /** Node's request, to receive a body from; throws if the request was read whole. */
  get streamed(): IncomingMessage {
    if (this.raw instanceof IncomingMessage) return this.raw;
    throw new Error('the whole request was read at once: nothing of it is left to be received');
  }

  get socket(): Socket {
    return this.raw.socket;
  }

  /** Query parameters; a repeated name has a list of values. */
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
