// HTTP server of the simulated feed on the loopback interface: Hermes' paths for all clients, and the sandbox's own for
// its supervisor.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Bytes32 } from '@presage/protocol';
import { openDigestSigner, type SignDigest } from '@presage/protocol/digest-signer';
import type { HeldPort } from '../held-port.ts';
import { isLocalOrigin } from '../rpc/origin.ts';
import { keyOf } from '../sandbox-keys.ts';
import {
  parseFeedIds,
  parsePin,
  parsePins,
  parseStall,
  parseUpdateQuery,
  RequestRefused,
  toHermesAnswer,
  type UpdateQuery,
} from './feed-request.ts';
import { SimulatedFeed } from './simulated-feed.ts';

export interface FeedServerOptions {
  readonly feed: SimulatedFeed;
  /** Awaited before the first price is read. */
  readonly beforePrices?: () => Promise<void>;
  readonly port: HeldPort;
}

interface Reader {
  readonly ids: readonly Bytes32[];
  readonly query: UpdateQuery;
  readonly response: ServerResponse;
  lastSecond: number;
}

const UPDATES = '/v2/updates/price/';
const MAX_BODY_BYTES = 1024 * 1024;
const MAX_UNREAD_BYTES = 1024 * 1024;

export class FeedServer {
  readonly #options: FeedServerOptions;
  readonly #http: Server;
  readonly #readers = new Set<Reader>();
  #timer: NodeJS.Timeout | undefined;

  private constructor(options: FeedServerOptions) {
    this.#options = options;
    this.#http = createServer((request, response) => void this.#onRequest(request, response));
    this.#http.keepAliveTimeout = 75_000;
  }

  static async open(options: FeedServerOptions): Promise<FeedServer> {
    const server = new FeedServer(options);
    await options.port.handTo(server.#http);
    server.#awaitSecond();
    return server;
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer);
    const closed = new Promise<void>((resolve) => this.#http.close(() => resolve()));
    this.#http.closeAllConnections();
    await closed;
  }

  /** The service's clock is ahead of the wall clock by whole seconds, so both change seconds together. */
  #awaitSecond(): void {
    this.#timer = setTimeout(
      () => {
        for (const reader of this.#readers) this.#publish(reader);
        this.#awaitSecond();
      },
      1_000 - (Date.now() % 1_000),
    );
  }

  #publish(reader: Reader): void {
    const { feed } = this.#options;
    if (!feed.isConfigured || feed.horizon <= reader.lastSecond) return;
    if (reader.response.writableLength > MAX_UNREAD_BYTES) return void reader.response.destroy();
    reader.lastSecond = feed.horizon;
    const updates = reader.ids.map((id) => feed.latest(id));
    reader.response.write(`data:${toHermesAnswer(updates, reader.query)}\n\n`);
  }

  async #onRequest(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      if (!isLocalOrigin(request.headers.origin)) throw new RequestRefused(403, 'this origin may not use the feed');
      const url = new URL(request.url ?? '/', 'http://feed');
      const body = request.method === 'GET' ? undefined : await readJson(request);
      if (url.pathname.startsWith(UPDATES)) await this.#options.beforePrices?.();
      if (request.method === 'GET' && url.pathname === `${UPDATES}stream`) return this.#openStream(url, response);
      const answer = this.#answer(request.method ?? 'GET', url, body);
      response.writeHead(200, { 'content-type': 'application/json' }).end(answer);
    } catch (error) {
      const [status, text] = error instanceof RequestRefused ? [error.status, error.message] : [500, String(error)];
      response.writeHead(status, { 'content-type': 'text/plain' }).end(text);
    }
  }

  #openStream({ searchParams }: URL, response: ServerResponse): void {
    this.#requireConfigured();
    const reader = { ids: parseFeedIds(searchParams), query: parseUpdateQuery(searchParams), response, lastSecond: 0 };
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
    this.#readers.add(reader);
    response.on('close', () => this.#readers.delete(reader));
    this.#publish(reader);
  }

  #answer(method: string, url: URL, body: unknown): string {
    const { feed } = this.#options;
    const route = `${method} ${url.pathname}`;
    if (route.startsWith(`GET ${UPDATES}`)) return this.#updates(url);
    if (route === 'PUT /sandbox/pins') feed.replacePins(parsePins(body));
    else if (route === 'POST /sandbox/pins') return this.#pin(body);
    else if (route === 'PUT /sandbox/oracle') feed.stall(parseStall(body));
    else if (route !== 'GET /sandbox/oracle') throw new RequestRefused(404, 'there is nothing at this path');
    return JSON.stringify({ oracle: feed.isStalled ? 'stalled' : 'normal' });
  }

  #pin(body: unknown): string {
    this.#requireConfigured();
    const { feedId, price } = parsePin(body);
    return JSON.stringify(this.#options.feed.pin(feedId, price));
  }

  #updates({ pathname, searchParams }: URL): string {
    this.#requireConfigured();
    const { feed } = this.#options;
    const time = pathname.slice(UPDATES.length);
    if (time !== 'latest' && !/^\d{1,12}$/.test(time)) throw new RequestRefused(400, `invalid publish time ${time}`);
    const updates = parseFeedIds(searchParams).map((id) =>
      time === 'latest' ? feed.latest(id) : feed.at(id, Number(time)),
    );
    if (!updates.every((update) => update !== undefined)) throw new RequestRefused(404, 'Update data not found');
    return toHermesAnswer(updates, parseUpdateQuery(searchParams));
  }

  #requireConfigured(): void {
    if (!this.#options.feed.isConfigured) throw new RequestRefused(503, 'the feed waits for the list of pinned prices');
  }
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) throw new RequestRefused(413, `the body is over ${MAX_BODY_BYTES} bytes`);
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'));
  } catch {
    throw new RequestRefused(400, 'the body is not JSON');
  }
}

/** Assembles the simulated feed; undefined without a port. */
export async function openFeed(port: HeldPort | undefined, nowSeconds: () => number) {
  if (port === undefined) return undefined;
  let signer: SignDigest | undefined;
  const sign: SignDigest = (digest) => {
    if (signer === undefined) throw new Error('nobody has asked for a price yet');
    return signer(digest);
  };
  // Opened at the first request for a price: loading the signing code takes an eighth of the chain's start.
  const beforePrices = async () => {
    signer ??= await openDigestSigner(keyOf('feedSigner').privateKey);
  };
  return FeedServer.open({ feed: new SimulatedFeed({ nowSeconds, sign }), beforePrices, port });
}
