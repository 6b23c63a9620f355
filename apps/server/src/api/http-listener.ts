// The listening socket. It is open from the start and answers 425 and 503 until the routes are ready.
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type IncomingMessage, type RequestListener, Server, type ServerResponse } from 'node:http';
import { createServer as createDoor, type Server as Door, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { LIMITS, PresageError } from '@presage/protocol';
import type * as wire from '@presage/protocol/wire';
import type { Answer } from './answer.ts';
import { ConnectionTable } from './connection-table.ts';
import { QuickConnection, type QuickReader } from './http/quick-connection.ts';
import type { QuickRequest } from './http/quick-request.ts';
import type { QuickResponse } from './http/quick-response.ts';
import { answerUnreadable } from './http/unreadable-requests.ts';
import { ReceivedBodies } from './received-bodies.ts';
import { toRefusalAt } from './refusals.ts';

/** Longer than the 60 s for which proxies usually keep connections: the proxy must close first. */
const KEEP_ALIVE_MS = 72_000;
/** File descriptors reserved for the journal, the database, the chain and the price sources, without which nobody can be served. */
const OTHER_FILES = 128;

const TIMES = {
  /** Time for the headers to arrive. */
  headersMs: LIMITS.headersTimeoutSeconds * 1_000,
  /** Time for the whole request. Longer than any wait of the service, so that it cuts off slow senders, not slow answers. */
  requestMs: LIMITS.requestTimeoutSeconds * 1_000,
  /** Interval of the check for slow senders. */
  checkMs: 2_000,
  /** Time for a reader to take any part of an answer. */
  stallMs: LIMITS.answerStallSeconds * 1_000,
  /** Time for requests in progress once the listener closes. */
  drainMs: 5_000,
};

interface ListenerBounds extends Partial<typeof TIMES> {
  readonly connections?: number;
  /** False in tests that compare both readers: every request is then examined but left to node:http. */
  readonly isQuick?: boolean;
}

/** Forwards a request to another node once its body has arrived; returns whether it does. */
export interface Diversion {
  (request: IncomingMessage, response: ServerResponse, bodies: Pick<ReceivedBodies, 'receive'>): boolean;
  /** Whether another node answers at this path. */
  readonly covers: (path: string) => boolean;
}

interface Others {
  /** Handler of requests that need no node:http; by default none do. */
  readonly quick?: Pick<QuickReader, 'isQuick' | 'onRequest'>;
  /** Set if another node answers some requests. */
  readonly divert?: Diversion | undefined;
  /** Handler of upgrades; if missing, a request for an upgrade is answered like any other. */
  readonly onUpgrade?: (request: IncomingMessage, connection: Duplex, head: Buffer) => void;
}

/** Takes over a connection from which nothing was read; false leaves it to the service. */
export type HandOn = (socket: Socket) => boolean;

export class HttpListener {
  readonly server: FrontServer;
  /** Public port whose connections are handed to lanes; undefined if this server listens on the public port itself. */
  #door: Door | undefined;
  /** Connections accepted elsewhere; the server's own close does not wait for these. */
  readonly #taken = new Set<Socket>();
  #waitingFor: readonly string[] = [];
  #isEnding = false;
  #isDoorEnding = false;
  readonly bodies = new ReceivedBodies();
  readonly connections: ConnectionTable;

  readonly #drainMs: number;
  #onQuick: Others['quick'];

  constructor(bounds: ListenerBounds = {}) {
    const {
      headersMs,
      requestMs,
      checkMs,
      stallMs,
      drainMs,
      connections = LIMITS.connections,
    } = { ...TIMES, ...bounds };
    this.#drainMs = drainMs;
    const options = {
      headersTimeout: headersMs,
      requestTimeout: requestMs,
      connectionsCheckingInterval: checkMs,
      keepAliveTimeout: KEEP_ALIVE_MS,
      maxHeaderSize: LIMITS.headerBytes,
    };
    this.server = new FrontServer(options, this.#answerWaiting);
    this.server.timeout = stallMs;
    this.server.on('checkContinue', (request, response) => {
      whenNextInLine(response, () => {
        response.writeContinue();
        this.server.emit('request', request, response);
      });
    });
    answerUnreadable(this.server, hasBegunToAnswer);
    this.server.on('request', ({ socket }, response) => {
      response.on('timeout', () => cutIfUnread(response));
      if (this.#isLast(socket)) response.shouldKeepAlive = false;
    });
    const most = Math.min(connections, openFileLimit() - OTHER_FILES);
    this.connections = new ConnectionTable(most, headersMs);
    this.server.on('connection', (socket) => this.connections.add(socket));
    this.#readQuickly(stallMs, bounds.isQuick !== false);
    // Refuses connections unseen only if they come faster than others make room.
    this.server.maxConnections = most + OTHER_FILES / 2;
  }

  listen(port: number, host: string): Promise<string> {
    return listenAt(this.server, port, host);
  }

  /** Opens a public port whose connections are handed on; connections that `handOn` declines are served here. */
  openDoor(port: number, host: string, handOn: HandOn): Promise<string> {
    const door = createDoor({ pauseOnConnect: true, allowHalfOpen: true, noDelay: true }, (socket) => {
      if (handOn(socket)) return;
      this.take(socket);
      socket.resume();
    });
    this.#door = door;
    return listenAt(door, port, host);
  }

  /** Serves a connection accepted elsewhere as if it had been accepted here. */
  take(socket: Socket): void {
    socket.allowHalfOpen = true;
    socket.setNoDelay(true);
    this.#taken.add(socket);
    socket.once('close', () => this.#taken.delete(socket));
    this.server.emit('connection', socket);
  }

  /** Makes `/ready` name the dependency until the routes answer. */
  waitFor(dependency: string): void {
    this.#waitingFor = [dependency];
  }

  /** Passes requests to the routes, except those that another node answers. */
  open(onRequest: RequestListener, { divert, onUpgrade, quick }: Others = {}): void {
    this.server.off('request', this.#answerWaiting);
    this.#onQuick = quick;
    this.server.on('request', (request, response) => {
      this.#takeTurn(request.socket, response, () => {
        if (!divert?.(request, response, this.bodies)) onRequest(request, response);
      });
    });
    if (onUpgrade === undefined) return;
    this.server.on('upgrade', (request, connection, head) => {
      this.connections.noteBusy(request.socket);
      onUpgrade(request, connection, head);
    });
  }

  /** Answers plain requests without node:http, except on sockets that must end with their next answer. */
  #readQuickly(stallMs: number, isOn: boolean): void {
    const reader: QuickReader = {
      keepAliveMs: KEEP_ALIVE_MS,
      stallMs,
      isEnding: this.#isLast,
      isQuick: (request) =>
        isOn &&
        !isAnswering(request.socket) &&
        !this.#isLast(request.socket) &&
        this.#onQuick?.isQuick(request) === true,
      onRequest: (request, response) => this.#beginQuick(request, response),
      onAnswered: (socket) => {
        this.server.endQuick();
        this.connections.noteIdle(socket);
      },
    };
    this.server.on('connection', (socket) => {
      if (!socket.destroyed) QuickConnection.watch(socket, reader);
    });
  }

  #beginQuick(request: QuickRequest, response: QuickResponse): void {
    this.server.quickUnderWay += 1;
    this.connections.noteBusy(request.socket);
    this.#onQuick?.onRequest(request, response);
  }

  /** Whether a connection must end with its next answer. */
  readonly #isLast = (socket: Socket): boolean => this.#isEnding || (this.#isDoorEnding && this.#taken.has(socket));

  readonly #answerWaiting = (request: IncomingMessage, response: ServerResponse): void =>
    answerWaiting(request, response, this.#waitingFor);

  /** Begins a request, once few enough requests of its connection are in progress. */
  #takeTurn(socket: Socket, response: ServerResponse, begin: () => void): void {
    const { answers, waiting } = PIPELINES.get(socket) ?? openPipeline(socket);
    if (answers.size === 0) this.connections.noteBusy(socket);
    answers.add(response);
    response.once('close', () => {
      answers.delete(response);
      if (answers.size === 0) this.connections.noteIdle(socket);
      if (!socket.destroyed) waiting.shift()?.();
    });
    if (answers.size > UNDER_WAY) waiting.push(begin);
    else begin();
  }

  /** Makes each connection end with its next answer, so that its client connects elsewhere. */
  endConnections(): void {
    this.#isEnding = true;
  }

  /** Turns the same on or off for connections of the public port only. Lanes use the server's own port and keep their connections. */
  endDoorConnections(isEnding: boolean): void {
    this.#isDoorEnding = isEnding;
  }

  /** Stops accepting and answers requests in progress, up to a time limit. */
  async close(): Promise<void> {
    if (!this.server.listening) return;
    this.endConnections();
    this.#door?.close();
    const taken = [...this.#taken].map((socket) => new Promise((resolve) => socket.once('close', resolve)));
    const accepted = new Promise<void>((resolve) => this.server.close(() => resolve()));
    const closed = Promise.all([accepted, ...taken]);
    this.server.closeIdleConnections();
    // All in the table: Node forgets connections that its parser no longer reads, such as upgraded ones, and still waits for them.
    const cut = setTimeout(() => this.connections.endAll(), this.#drainMs);
    await closed;
    clearTimeout(cut);
  }
}

/** A server that also waits for quick answers: Node considers a connection idle while its request bypasses node's parser. */
class FrontServer extends Server {
  quickUnderWay = 0;
  #isClosingIdle = false;

  endQuick(): void {
    this.quickUnderWay -= 1;
    if (this.#isClosingIdle && this.quickUnderWay === 0) this.closeIdleConnections();
  }

  /** Closes idle connections after the quick answers in progress. Node calls it too, when the server closes. */
  override closeIdleConnections(): void {
    this.#isClosingIdle = this.quickUnderWay > 0;
    if (!this.#isClosingIdle) super.closeIdleConnections();
  }
}

/** Listens; resolves with the URL. */
async function listenAt(server: Door, port: number, host: string): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => resolve());
  });
  const bound = server.address();
  if (bound === null || typeof bound === 'string') throw new Error('the server has no port');
  const { family, address } = bound;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${bound.port}`;
}

/** Requests of one connection answered concurrently. Thousands fit into one packet and would otherwise all be computed at once. */
const UNDER_WAY = 16;

interface Pipeline {
  readonly answers: Set<ServerResponse>;
  /** Requests not begun yet. */
  readonly waiting: (() => void)[];
}

const PIPELINES = new WeakMap<Socket, Pipeline>();

/** Whether node:http has an unfinished answer on the connection. */
function isAnswering(socket: Socket): boolean {
  return (PIPELINES.get(socket)?.answers.size ?? 0) > 0;
}

/** Whether the client has received a part of an answer, but not its end. */
function hasBegunToAnswer(connection: Duplex): boolean {
  const { answers = [] } = (connection instanceof Socket && PIPELINES.get(connection)) || {};
  return [...answers].some((answer) => answer.socket === connection && answer.headersSent && !answer.writableFinished);
}

/** Tracks the answers of a connection and closes them all with it, including those queued behind another. */
function openPipeline(socket: Socket): Pipeline {
  const pipeline = { answers: new Set<ServerResponse>(), waiting: [] };
  PIPELINES.set(socket, pipeline);
  socket.once('close', () => {
    for (const each of pipeline.answers) closeUnassigned(each);
  });
  return pipeline;
}

/**
 * Closes an answer that has no connection. Node gives a connection with pipelined requests to one answer at a time and does not
 * notify the others when it ends: resources kept until their 'close' would leak.
 */
function closeUnassigned(response: ServerResponse): void {
  if (response.socket !== null || response.writableFinished) return;
  response.destroy();
  response.emit('close');
}

/**
 * Waits until the answers to earlier requests of the connection are sent. Node would write an early "100 Continue" after the headers
 * of an answer that is sent as bytes, and the client would read it as the answer's first bytes.
 */
function whenNextInLine(response: ServerResponse, proceed: () => void): void {
  if (response.socket === null) response.once('socket', proceed);
  else proceed();
}

/** After a stall, cuts off a reader that takes nothing; keeps waiting for a slow answer. */
function cutIfUnread(response: ServerResponse): void {
  if (response.writableLength > 0) response.destroy();
}

function answerWaiting(request: IncomingMessage, response: ServerResponse, degraded: readonly string[]): void {
  const path = request.url ?? '/';
  const requestId = randomUUID();
  response.setHeader('X-Request-Id', requestId);
  if (isNavigation(request)) {
    response.setHeader('Content-Type', 'text/html; charset=utf-8');
    response.setHeader('Cache-Control', 'no-store');
    response.statusCode = 503;
    response.end(STARTING_PAGE);
    return;
  }
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  if (path !== '/health') response.setHeader('Retry-After', '1');
  const [status, body] = waitingAnswer(path, requestId, degraded);
  response.statusCode = status;
  response.end(JSON.stringify(body));
}

/** Whether a browser is opening the page: it accepts HTML by name; programs accept JSON or anything. */
function isNavigation({ method, headers }: IncomingMessage): boolean {
  return method === 'GET' && /\btext\/html\b/.test(headers.accept ?? '');
}

/** Page shown during a start. Self-contained, because the built page may not be readable yet; reloads by itself. */
const STARTING_PAGE = `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="dark light"><meta http-equiv="refresh" content="2"><title>Presage is starting</title></head>
<body style="font: 16px system-ui; max-width: 36rem; margin: 20vh auto; padding: 0 16px"><main><h1>Presage is starting</h1>
<p role="status">It reads its journal and will be here in a moment. Your orders and positions are safe. This page tries again by itself.</p></main></body></html>
`;

type WaitingBody = Answer<typeof wire.ServiceHealth | typeof wire.ServiceReadiness> | ReturnType<typeof toRefusalAt>;

function waitingAnswer(path: string, requestId: string, degraded: readonly string[]): [number, WaitingBody] {
  if (path === '/health') return [200, { status: 'alive' }];
  if (path === '/ready') return [503, { status: 'recovering', degraded }];
  const error = new PresageError('recovering');
  return [error.status, toRefusalAt(path, error, requestId)];
}

/** Maximum of open files, of which each connection is one. Node has already raised the limit to this account's maximum. */
function openFileLimit(): number {
  try {
    const [, limit] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return limit === undefined ? Number.POSITIVE_INFINITY : Math.max(Number(limit), OTHER_FILES * 2);
  } catch {
    // Only Linux has this file.
    return Number.POSITIVE_INFINITY;
  }
}
