// The HTTP front: lossless bodies, exact numbers, one shape of refusal, request ids; it knows no rule of the domain.

import { randomUUID } from 'node:crypto';
import type { RequestListener } from 'node:http';
import compress from '@fastify/compress';
import websocket from '@fastify/websocket';
import { ERRORS, LIMITS, PresageError, parseJson, stringifyJson } from '@presage/protocol';
import { messageOf } from '@presage/runtime';
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { ProxySettings } from '../config/proxy-settings.ts';
import type { JournalFaults } from '../host/journal-faults.ts';
import type { Log } from '../log/log.ts';
import { holdAnswersForTokens } from './endpoint.ts';
import type { Diversion, HttpListener } from './http-listener.ts';
import { type JournalPositions, readYourWrites } from './journal-positions.ts';
import { gateOrders, OrderGate, shedLoad } from './load-shedding.ts';
import { limitRates } from './rate-limits.ts';
import { toPresageError, toRefusalBody } from './refusals.ts';
import { addBrowserHeaders, ClientAddresses, type PageRules, refuseForeign } from './request-origin.ts';
import { boundUnreadAnswers, createBodyReceiver, receiveBodies } from './shared-backlog.ts';

export interface HttpServerOptions {
  readonly listener: HttpListener;
  /** Set if another node answers some of the requests. */
  readonly divert?: Diversion | undefined;
  readonly onAnswer: (route: string, method: string, status: number, seconds: number) => void;
  readonly log: Log;
  /** Why writes cannot be stored. */
  readonly faults?: Pick<JournalFaults, 'current'>;
  readonly rateLimits: boolean;
  /** Memory for answers that are not read yet; the published limit by default. */
  readonly unreadBytes?: number;
  /** Clock of the rate limits; wall time by default. */
  readonly wallMs?: () => number;
  /** Pages that may write from a browser. */
  readonly corsOrigins: readonly string[] | '*';
  /** Set if no token protects writes: requests of foreign pages are then refused. */
  readonly pages?: PageRules | undefined;
  /** Without it no forwarding header is trusted. */
  readonly proxies?: ProxySettings;
  /** Set if several nodes answer: a read at one waits for a write at another. */
  readonly positions?: JournalPositions | undefined;
  /** Number of nodes that answer callers; one by default. */
  readonly gateways?: (() => number) | undefined;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Address of the client, as far as trusted proxies know it. */
    address: string;
  }
}

export type Routes = (server: FastifyInstance) => void;

/** Answers smaller than this cost more to compress than to send. */
const COMPRESS_FROM_BYTES = 4_096;
const RETRY_AFTER_SECONDS = 1;

/** Builds the routes; then the listener passes requests to them. */
export async function openHttpServer(options: HttpServerOptions, routes: readonly Routes[]): Promise<void> {
  let handler: RequestListener | undefined;
  const server = fastify({
    logger: false,
    serverFactory: (listener) => {
      handler = listener;
      return options.listener.server;
    },
    bodyLimit: LIMITS.bodyBytes,
    genReqId: () => randomUUID(),
    exposeHeadRoutes: true,
    // A path that cannot be decoded never reaches a route, nor the hooks and the handler below.
    frameworkErrors: (cause, request, reply) => {
      reply.header('X-Request-Id', request.id);
      // Neither a hook of the WebSocket plugin nor a timeout of the listener closes a connection that asked for an upgrade.
      if (request.headers.upgrade !== undefined) reply.raw.once('finish', () => request.raw.socket.end());
      void refuse(reply, toPresageError(cause), request);
    },
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 200 },
  });
  addBrowserHeaders(server, options.corsOrigins);
  await server.register(websocket, {
    options: {
      server: options.listener.upgrades,
      maxPayload: LIMITS.streamPayloadBytes,
      perMessageDeflate: false,
      // Automatic pongs to a client that reads nothing would pile up without a bound: sessions answer pings within their own.
      autoPong: false,
    },
    // A broken frame closes its connection with the code that says so; there is nothing else to do.
    errorHandler: () => undefined,
  });
  await server.register(compress, { threshold: COMPRESS_FROM_BYTES });
  boundUnreadAnswers(server, options.unreadBytes);
  const gate = new OrderGate();
  shedLoad(server, gate, (message) => options.log.warn({}, message));
  readBodiesLosslessly(server);
  server.setSerializerCompiler(() => stringifyJson);
  server.setReplySerializer((payload) => stringifyJson(payload));
  addHooks(server, options);
  const receive = createBodyReceiver(options.listener.bodies);
  gateOrders(server, gate, receive);
  if (options.rateLimits) limitRates(server, options);
  receiveBodies(server, receive);
  holdAnswersForTokens(server);
  if (options.positions !== undefined) readYourWrites(server, options.positions);
  answerFailures(server, options);
  for (const register of routes) register(server);
  await server.ready();
  if (handler !== undefined) options.listener.open(handler, options.divert);
}

function readBodiesLosslessly(server: FastifyInstance): void {
  server.removeAllContentTypeParsers();
  server.addContentTypeParser(
    /^application\/(.+\+)?json\b/,
    { parseAs: 'string' },
    (_request: FastifyRequest, text: string | Buffer, done: (error: Error | null, body?: unknown) => void) => {
      try {
        // No body at all is not malformed: some endpoints take everything from the query.
        done(null, text.length === 0 ? undefined : parseJson(text.toString()));
      } catch (error) {
        done(new PresageError('invalid_json', { reason: messageOf(error) }));
      }
    },
  );
}

function addHooks(server: FastifyInstance, options: HttpServerOptions): void {
  const { onAnswer, log, pages, proxies, faults } = options;
  const addresses = new ClientAddresses(proxies ?? { trusted: [], header: 'x-forwarded-for' });
  server.decorateRequest('address', '');
  // The only async hook: it lets the parser finish what arrived with the request, so that a broken request is
  // answered once. A promise for each hook would be a measurable part of an order's latency.
  server.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id);
    request.address = addresses.of(request.socket.remoteAddress, request.headers);
    if (pages !== undefined) refuseForeign(request, addresses.isTrustedPeer(request.socket.remoteAddress), pages);
    const reason = WRITES.has(request.method) ? faults?.current : undefined;
    if (reason !== undefined) throw new PresageError('journal_unavailable', { reason });
  });
  server.addHook('onResponse', (request, reply, next) => {
    const route = request.routeOptions.url ?? 'none';
    onAnswer(route, request.method, reply.statusCode, reply.elapsedTime / 1_000);
    logAnswer(log, request, reply);
    next();
  });
}

/** Logs no body, query or header: they carry signatures, tokens and wallets. */
function logAnswer(log: Log, request: FastifyRequest, reply: FastifyReply): void {
  const { id: requestId, method, address: ip, routeOptions } = request;
  const status = reply.statusCode;
  const line = { requestId, method, route: routeOptions.url ?? 'none', status, ms: Math.round(reply.elapsedTime), ip };
  if (status >= 500 && !request.isShed) log.warn(line, 'request failed');
  else log.debug(line, 'request answered');
}

function answerFailures(server: FastifyInstance, { log }: HttpServerOptions): void {
  server.setErrorHandler((cause, request, reply) => {
    const error = toPresageError(cause);
    if (error.code === 'internal') {
      log.error(
        { requestId: request.id, error: cause instanceof Error ? cause.stack : String(cause) },
        'request failed with an internal error',
      );
    }
    return refuse(reply, error, request);
  });
  server.setNotFoundHandler((request, reply) => refuse(reply, toNotFound(server, request), request));
}

function refuse(reply: FastifyReply, error: PresageError, request: FastifyRequest): FastifyReply {
  const body = toRefusalBody(error, request.id);
  if (ERRORS[error.code].retryable && !reply.hasHeader('Retry-After')) reply.header('Retry-After', RETRY_AFTER_SECONDS);
  const allowed = error.details?.allowed;
  if (Array.isArray(allowed)) reply.header('Allow', allowed.join(', '));
  const isRelayer = request.url.startsWith('/api/v1/relayer/');
  return reply.code(error.status).send(isRelayer ? { success: false, ...body } : body);
}

/** Methods that write. Those that only compute are refused with them, which is simpler to document. */
const WRITES = new Set(['POST', 'DELETE']);
const METHODS = ['GET', 'HEAD', 'POST', 'DELETE', 'PUT', 'PATCH'] as const;

/** A known path with another method is answered differently from an unknown path. */
function toNotFound(server: FastifyInstance, request: FastifyRequest): PresageError {
  const url = request.url.split('?')[0] ?? '/';
  const allowed = METHODS.filter((method) => method !== request.method && server.findRoute({ url, method }) !== null);
  return allowed.length === 0
    ? new PresageError('not_found', { path: url })
    : new PresageError('method_not_allowed', { method: request.method, allowed });
}
