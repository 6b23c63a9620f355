// JSON-RPC server of the chain over HTTP and WebSocket, on one port of the loopback interface.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Faults } from '../faults.ts';
import type { HeldPort } from '../held-port.ts';
import type { SandboxChain } from '../sandbox-chain.ts';
import {
  encodeError,
  encodeNotification,
  encodeResult,
  type ParsedBody,
  type ParsedEntry,
  parseBody,
} from './json-rpc.ts';
import { isLocalOrigin } from './origin.ts';
import { RpcError, rpcCode } from './rpc-error.ts';
import type { RpcRouter } from './rpc-router.ts';
import { Subscriptions } from './subscriptions.ts';

/** Limit of geth; a settlement batch of a hundred fills takes 150 kB in hexadecimal. */
const MAX_BODY_BYTES = 5 * 1024 * 1024;
/** A client that lags this far behind is disconnected rather than buffered. */
const MAX_UNREAD_BYTES = 32 * 1024 * 1024;

export interface RpcServerOptions {
  readonly chain: SandboxChain;
  readonly router: RpcRouter;
  readonly faults: Faults;
  readonly port: HeldPort;
}

type Call = (method: string, params: readonly unknown[]) => Promise<unknown>;

export class RpcServer {
  readonly #options: RpcServerOptions;
  readonly #http: Server;
  readonly #sockets = new WebSocketServer({ noServer: true, maxPayload: MAX_BODY_BYTES, perMessageDeflate: false });

  private constructor(options: RpcServerOptions) {
    this.#options = options;
    this.#http = createServer((request, response) => void this.#onRequest(request, response));
    // Longer than clients keep an idle connection: a connection closed just as it is reused looks like a lost request.
    this.#http.keepAliveTimeout = 75_000;
    this.#http.on('upgrade', (request, socket, head) => {
      if (options.faults.isDown || !isLocalOrigin(request.headers.origin)) return socket.destroy();
      this.#sockets.handleUpgrade(request, socket, head, (client) => this.#onSocket(client));
    });
  }

  static async open(options: RpcServerOptions): Promise<RpcServer> {
    const server = new RpcServer(options);
    await options.port.handTo(server.#http);
    return server;
  }

  cutSockets(): void {
    for (const client of this.#sockets.clients) client.terminate();
  }

  async close(): Promise<void> {
    this.cutSockets();
    const closed = new Promise<void>((resolve) => this.#http.close(() => resolve()));
    this.#http.closeAllConnections();
    await closed;
  }

  async #onRequest(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { origin } = request.headers;
    if (!isLocalOrigin(origin)) return void response.writeHead(403).end('this origin may not use the sandbox chain\n');
    if (origin) response.setHeader('access-control-allow-origin', origin);
    if (request.method === 'OPTIONS') {
      response.setHeader('access-control-allow-methods', 'POST');
      response.setHeader('access-control-allow-headers', 'content-type');
      return void response.writeHead(204).end();
    }
    if (request.method !== 'POST') return void response.writeHead(405, { allow: 'POST' }).end('JSON-RPC by POST\n');
    const text = await readBody(request);
    if (text === 'aborted') return;
    if (text === 'too large') {
      const fault = new RpcError(rpcCode.invalidRequest, `the body is over ${MAX_BODY_BYTES} bytes`);
      response.setHeader('connection', 'close');
      return void response.writeHead(413, { 'content-type': 'application/json' }).end(encodeError(null, fault));
    }
    const answer = await this.#answer(parseBody(text.body), (method, params) =>
      this.#options.router.call(method, params),
    );
    if (answer === 'cut') return void request.socket.destroy();
    if (answer === undefined) return void response.writeHead(204).end();
    response.writeHead(200, { 'content-type': 'application/json' }).end(answer);
  }

  #onSocket(client: WebSocket): void {
    const send = (text: string) => {
      if (client.bufferedAmount > MAX_UNREAD_BYTES) client.terminate();
      else if (client.readyState === client.OPEN) client.send(text);
    };
    // Notifications during a request wait for its answer: the client must know its subscription's id first.
    let answering = 0;
    let held: string[] = [];
    const subscriptions = new Subscriptions((id, result) => {
      const text = encodeNotification(id, result);
      if (answering > 0) held.push(text);
      else send(text);
    });
    const stop = this.#options.chain.listen(subscriptions);
    client.on('error', () => client.terminate());
    client.on('close', stop);
    client.on('message', async (message) => {
      const body = parseBody(String(message));
      const subscribing = body.entries.some((entry) => 'method' in entry && entry.method === 'eth_subscribe');
      if (subscribing) answering += 1;
      const answer = await this.#answer(body, (method, params) => this.#callOnSocket(subscriptions, method, params));
      if (answer === 'cut') client.terminate();
      else if (answer !== undefined) send(answer);
      if (subscribing) answering -= 1;
      if (answering > 0) return;
      for (const text of held) send(text);
      held = [];
    });
  }

  async #callOnSocket(subscriptions: Subscriptions, method: string, params: readonly unknown[]): Promise<unknown> {
    if (method === 'eth_subscribe') return subscriptions.subscribe(params);
    if (method === 'eth_unsubscribe') {
      if (subscriptions.unsubscribe(params[0])) return true;
      throw new RpcError(rpcCode.server, 'subscription not found');
    }
    return this.#options.router.call(method, params);
  }

  /** Undefined if every entry was a notification; `cut` if a fault switch suppresses the answer. */
  async #answer(body: ParsedBody, call: Call): Promise<string | undefined | 'cut'> {
    const { faults } = this.#options;
    const sandboxOnly = body.entries.every((entry) => 'method' in entry && entry.method.startsWith('presage_'));
    if (!sandboxOnly && faults.isDown) return 'cut';
    if (!sandboxOnly && faults.delayMs > 0) await sleep(faults.delayMs);
    const answers = await Promise.all(body.entries.map((entry) => answerEntry(entry, call)));
    const sends = body.entries.some((entry) => 'method' in entry && entry.method === 'eth_sendRawTransaction');
    if (!sandboxOnly && (faults.isDown || (sends && faults.takeLostAnswer()))) return 'cut';
    const present = answers.filter((answer) => answer !== undefined);
    if (present.length === 0) return undefined;
    return body.batch ? `[${present.join(',')}]` : present[0];
  }
}

async function answerEntry(entry: ParsedEntry, call: Call): Promise<string | undefined> {
  if ('fault' in entry) return encodeError(entry.id, entry.fault);
  try {
    const result = await call(entry.method, entry.params);
    return entry.id === undefined ? undefined : encodeResult(entry.id, result);
  } catch (error) {
    return entry.id === undefined ? undefined : encodeError(entry.id, error);
  }
}

/** Reads by events: an async iterator takes as long as the rest of a small request. */
function readBody(request: IncomingMessage): Promise<{ body: string } | 'too large' | 'aborted'> {
  const chunks: Buffer[] = [];
  let size = 0;
  return new Promise((resolve) => {
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      // The rest is read and discarded: closing the connection while the client still writes would hide the answer.
      if (size <= MAX_BODY_BYTES) chunks.push(chunk);
      else chunks.length = 0;
      if (size > 4 * MAX_BODY_BYTES) request.destroy();
    });
    request.once('end', () => {
      resolve(size > MAX_BODY_BYTES ? 'too large' : { body: Buffer.concat(chunks).toString('utf8') });
    });
    request.once('error', () => resolve('aborted'));
    request.once('close', () => resolve('aborted'));
  });
}
