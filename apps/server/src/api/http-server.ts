// The HTTP front: every step of a request from its headers to its answer, with one format of errors. Contains no domain rules.
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { PresageError } from '@presage/protocol';
import type { ProxySettings } from '../config/proxy-settings.ts';
import type { JournalFaults } from '../host/journal-faults.ts';
import type { Log } from '../log/log.ts';
import type { HeldBytes } from './held-bytes.ts';
import { readBody, refuseUnreadable } from './http/body.ts';
import type { RawRequest, RawResponse } from './http/exchange.ts';
import { finisher } from './http/finish.ts';
import type { QuickRequest } from './http/quick-request.ts';
import { HttpReply, type ReplyRules } from './http/reply.ts';
import { HttpRequest, pathOf, type Route } from './http/request.ts';
import { Router } from './http/router.ts';
import { type Upgrade, Upgrades } from './http/upgrades.ts';
import type { Diversion, HttpListener } from './http-listener.ts';
import { type JournalPositions, reachPosition, tellPosition } from './journal-positions.ts';
import type { LanePass } from './lane-pass.ts';
import { gateOrders, shedLoad } from './load-shedding.ts';
import { OrderGate } from './order-gate.ts';
import type { RefuseBlocked } from './origin-blocks.ts';
import { limitRates } from './rate-limits.ts';
import { createBodyReceiver } from './received-bodies.ts';
import { retryAfterOf, toPresageError, toRefusalAt } from './refusals.ts';
import {
  allowOrigin,
  answerPreflight,
  ClientAddresses,
  type ForeignPages,
  NO_PROXIES,
  type PageRules,
  refuseForeign,
  SAFETY_HEADERS,
} from './request-origin.ts';
import { countUnsentAnswers, openUnsentBytes } from './unsent-answers.ts';

export interface HttpServerOptions {
  readonly listener: HttpListener;
  /** Set if another node answers some requests. */
  readonly divert?: Diversion | undefined;
  readonly onAnswer: (route: string, method: string, status: number, seconds: number) => void;
  readonly log: Log;
  /** Reason why writes cannot be stored, if any. */
  readonly faults?: Pick<JournalFaults, 'current'>;
  readonly rateLimits: boolean;
  /** Account of unread bytes, shared with the streams; a separate one by default. */
  readonly unsent?: HeldBytes;
  /** Clock of the rate limits; wall time by default. */
  readonly wallMs?: () => number;
  readonly corsOrigins: ForeignPages;
  /** Set if no token protects writes: requests from foreign pages are then refused. */
  readonly pages?: PageRules | undefined;
  /** Trusted proxies; if missing, no forwarding header is trusted. */
  readonly proxies?: ProxySettings;
  /** Reads the original caller of a request that a lane passed on; set on a service with lanes. */
  readonly passed?: LanePass['read'] | undefined;
  /** Refuses orders from blocked places; set if there are any. */
  readonly refuseBlocked?: RefuseBlocked | undefined;
  /** Journal positions; set if several nodes answer, so that a read at one can wait for a write at another. */
  readonly positions?: JournalPositions | undefined;
  /** Number of nodes that answer callers; one by default. */
  readonly gateways?: (() => number) | undefined;
}

/** Opens the HTTP front: the listener passes requests to the routes from now on. */
export function openHttpServer(options: HttpServerOptions, routes: readonly (readonly Route[])[]): void {
  const server = new HttpServer(options);
  for (const route of routes.flat()) server.add(route);
  const { onRequest, onUpgrade, isQuick } = server;
  options.listener.open(onRequest, { divert: options.divert, onUpgrade, quick: { isQuick, onRequest } });
}

/** A request in progress with its reply. */
interface Exchange {
  readonly request: HttpRequest;
  readonly reply: HttpReply;
  readonly upgrade: Upgrade | undefined;
}

type PartOfTheWay = (exchange: Exchange) => void;

class HttpServer {
  readonly #options: HttpServerOptions;
  readonly #router = new Router<Route>();
  readonly #addresses: ClientAddresses;
  readonly #load: ReturnType<typeof shedLoad>;
  readonly #enterGate: ReturnType<typeof gateOrders>;
  readonly #receive: ReturnType<typeof createBodyReceiver>;
  readonly #rates: ReturnType<typeof limitRates> | undefined;
  readonly #upgrades = new Upgrades();
  readonly #rules: ReplyRules;
  readonly #finish: ReturnType<typeof finisher>;

  constructor(options: HttpServerOptions) {
    this.#options = options;
    this.#addresses = new ClientAddresses(options.proxies ?? NO_PROXIES);
    options.listener.connections.addresses = this.#addresses;
    const gate = new OrderGate();
    this.#load = shedLoad(gate, (message) => options.log.warn({}, message));
    options.listener.server.once('close', this.#load.close);
    this.#receive = createBodyReceiver(options.listener.bodies);
    this.#enterGate = gateOrders(gate, this.#receive);
    this.#rates = options.rateLimits ? limitRates(options) : undefined;
    this.#rules = { common: SAFETY_HEADERS, ...countUnsentAnswers(options.unsent ?? openUnsentBytes()) };
    this.#finish = finisher({ before: this.#beforeAnswer, fail: this.#fail });
  }

  add(route: Route): void {
    this.#router.add(route);
  }

  /** Whether a request can bypass node:http: not on unknown paths, for streamed answers, or if another node answers. */
  readonly isQuick = ({ method, url }: QuickRequest): boolean => {
    const path = pathOf(url);
    if (this.#options.divert?.covers(path)) return false;
    // Left to node:http: decoding may fail, which is refused on the usual path.
    if (path.includes('%')) return false;
    const route = this.#router.find(method, path)?.route;
    return route !== undefined && route.isStreamed !== true;
  };

  readonly onRequest = (raw: RawRequest, response: RawResponse): void => this.#begin(raw, response);

  readonly onUpgrade = (raw: IncomingMessage, connection: Duplex, head: Buffer): void => {
    const opened = this.#upgrades.open(raw, connection, head);
    if (opened === undefined) return;
    const { response, upgrade } = opened;
    const isRead = raw.method === 'GET' || raw.method === 'HEAD';
    // Clients that offer HTTP/2 ask for an upgrade with any request, so such a request is forwarded like any other.
    if (!isRead || !this.#options.divert?.(raw, response, NO_BODIES)) this.#begin(raw, response, upgrade);
  };

  #begin(raw: RawRequest, response: RawResponse, upgrade?: Upgrade): void {
    const request = new HttpRequest(raw);
    const reply = new HttpReply(request, response, this.#rules, (answer, payload) =>
      this.#finish(request, answer, payload),
    );
    response.once('finish', () => this.#noteAnswer(request, reply));
    this.#step({ request, reply, upgrade }, this.#find);
  }

  /** Runs one step of a request; an error becomes the answer. */
  #step(exchange: Exchange, part: PartOfTheWay): void {
    try {
      part(exchange);
    } catch (error) {
      this.#fail(exchange.request, exchange.reply, error);
    }
  }

  /** Continues with a step after a wait, or answers with the refusal. */
  #goOn(exchange: Exchange, part: PartOfTheWay): (refusal?: unknown) => void {
    return (refusal) => {
      if (refusal === undefined) this.#step(exchange, part);
      else this.#fail(exchange.request, exchange.reply, refusal);
    };
  }

  readonly #find: PartOfTheWay = (exchange) => {
    const { request, reply, upgrade } = exchange;
    allowOrigin(request, reply, this.#options.corsOrigins);
    if (request.method === 'OPTIONS') return answerPreflight(request, reply);
    if (upgrade !== undefined) refuseBodyOfUpgrade(request);
    const found = this.#router.find(request.method, request.path);
    request.route = found?.route;
    if (found !== undefined) request.params = found.params;
    this.#load.check(request);
    // A microtask later, so that an error right after the headers is known and becomes the answer.
    queueMicrotask(() => this.#step(exchange, this.#enter));
  };

  readonly #enter: PartOfTheWay = (exchange) => {
    const { request, reply } = exchange;
    const { pages, faults, refuseBlocked, passed } = this.#options;
    const { address, isForwarded } = passed?.(request.headers) ?? this.#addresses.originOf(request);
    request.address = address;
    if (pages !== undefined) refuseForeign(request, isForwarded, pages);
    // Orders only: a blocked client can still cancel, withdraw and redeem.
    if (request.route?.isShedFirst) {
      refuseBlocked?.({ address: request.address, headers: request.headers, isForwarded });
    }
    const reason = WRITES.has(request.method) ? faults?.current : undefined;
    if (reason !== undefined) throw new PresageError('journal_unavailable', { reason });
    if (request.route?.isShedFirst) this.#enterGate(request, reply, this.#goOn(exchange, this.#admit));
    else this.#admit(exchange);
  };

  readonly #admit: PartOfTheWay = (exchange) => {
    const { request, reply } = exchange;
    this.#rates?.chargeAddress(request, reply);
    const { positions } = this.#options;
    const reached = positions && reachPosition(request, positions);
    if (reached === undefined) return this.#identify(exchange);
    const identify = this.#goOn(exchange, this.#identify);
    (request.turn?.whileOut(reached) ?? reached).then(() => identify(), identify);
  };

  /** Identifies the caller. If another node decides whether a token was used, waits for it: a replay must have no effect. */
  readonly #identify: PartOfTheWay = (exchange) => {
    const { request } = exchange;
    const caller = request.route?.identify?.(request);
    if (!caller?.isDecidedElsewhere) return this.#read(exchange);
    const read = this.#goOn(exchange, this.#read);
    (request.turn?.whileOut(caller.used) ?? caller.used).then(
      () => read(),
      (error: unknown) => {
        // The refusal must not wait for the token's use again.
        request.caller = undefined;
        request.operator = undefined;
        read(error);
      },
    );
  };

  readonly #read: PartOfTheWay = (exchange) => {
    const { request, reply } = exchange;
    this.#rates?.chargeCaller(request, reply);
    const { route } = request;
    if (route === undefined) throw this.#toNotFound(request);
    if (route.method === 'GET') return this.#answerRead(exchange, route);
    refuseUnreadable(request);
    this.#receive(request, this.#goOn(exchange, this.#parse));
  };

  readonly #parse: PartOfTheWay = (exchange) => {
    const { request } = exchange;
    // Checks the key again: it may have been revoked while a thief held back the end of the body.
    request.caller?.requireKey();
    request.operator?.requireKey();
    request.body = readBody(request);
    if (request.route !== undefined) this.#answer(exchange, request.route);
  };

  /** Skips a client that is gone, such as one cut off after the first of many pipelined requests. */
  #answerRead(exchange: Exchange, route: Route): void {
    if (!exchange.request.socket.destroyed) this.#answer(exchange, route);
  }

  #answer({ request, reply, upgrade }: Exchange, route: Route): void {
    const { onUpgrade } = route;
    if (upgrade !== undefined && onUpgrade !== undefined) {
      upgrade.accept((socket) => onUpgrade(socket, request));
      return;
    }
    const answer = route.handler(request, reply);
    if (!(answer instanceof Promise)) return;
    answer.then(
      (payload: unknown) => {
        if (payload !== reply) reply.send(payload);
      },
      (error: unknown) => this.#fail(request, reply, error),
    );
  }

  /** Delays an answer until the use of its token is durable. */
  readonly #beforeAnswer = (request: HttpRequest, reply: HttpReply): Promise<unknown> | undefined => {
    const { caller, operator } = request;
    const { positions } = this.#options;
    if (positions !== undefined) tellPosition(request, reply, positions);
    return caller === undefined && operator === undefined ? undefined : Promise.all([caller?.used, operator?.used]);
  };

  readonly #fail = (request: HttpRequest, reply: HttpReply, thrown: unknown): void => {
    if (reply.isSent) return void reply.raw.destroy();
    const cause = request.route?.toRefusal?.(thrown) ?? thrown;
    const error = toPresageError(cause);
    if (error.code === 'internal') {
      const text = cause instanceof Error ? cause.stack : String(cause);
      this.#options.log.error({ requestId: request.id, error: text }, 'request failed with an internal error');
    }
    refuse(request, reply, error);
  };

  /** Error for an unknown path, or for a known path with another method. */
  #toNotFound({ path, method }: HttpRequest): PresageError {
    const methods = this.#router.methodsAt(path);
    const allowed = METHODS.filter((each) => methods.includes(each));
    return allowed.length === 0
      ? new PresageError('not_found', { path })
      : new PresageError('method_not_allowed', { method, allowed });
  }

  /** Counts and logs an answer. Logs no body, query or header: they carry signatures, tokens and wallets. */
  #noteAnswer({ id: requestId, method, address: ip, route, startedMs, isShed }: HttpRequest, reply: HttpReply): void {
    const { onAnswer, log } = this.#options;
    const path = route?.path ?? 'none';
    const { statusCode: status } = reply;
    const ms = performance.now() - startedMs;
    onAnswer(path, method, status, ms / 1_000);
    const line = { requestId, method, route: path, status, ms: Math.round(ms), ip };
    if (status >= 500 && !isShed) log.warn(line, 'request failed');
    else log.debug(line, 'request answered');
  }
}

/** An empty body for forwarded upgrades: Node reads no body after an upgrade, so waiting for it would never end. */
const NO_BODIES: Parameters<Diversion>[2] = { receive: (_request, onReceived) => onReceived(Buffer.alloc(0)) };

/** Refuses an upgrade with a write: Node stops reading after the upgrade's headers, so the body would never arrive. */
function refuseBodyOfUpgrade({ method }: HttpRequest): void {
  if (method === 'GET' || method === 'HEAD') return;
  throw new PresageError('invalid_field', { field: 'upgrade', expected: `no upgrade with ${method}` });
}

function refuse(request: HttpRequest, reply: HttpReply, error: PresageError): void {
  const { allowed } = error.details ?? {};
  const retryAfter = retryAfterOf(error);
  if (retryAfter !== undefined) reply.header('Retry-After', retryAfter);
  if (Array.isArray(allowed)) reply.header('Allow', allowed.join(', '));
  reply
    .code(error.status)
    .type('application/json; charset=utf-8')
    .send(toRefusalAt(request.url, error, request.id));
}

/** Methods refused while writes cannot be stored. They include requests that only compute, which is simpler to document. */
const WRITES = new Set(['POST', 'DELETE']);
const METHODS = ['GET', 'HEAD', 'POST', 'DELETE'] as const;
