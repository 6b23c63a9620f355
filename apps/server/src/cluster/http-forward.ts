// Passes a whole HTTP request on to the node that alone can answer it, and its answer back, streams too.
import { randomUUID } from 'node:crypto';
import { Agent, type IncomingMessage, type ServerResponse, request as sendRequest } from 'node:http';
import { PresageError } from '@presage/protocol';

export interface HttpForwardOptions {
  /** Where the node that owns the chains answers; undefined while there is none. */
  readonly settler: () => string | undefined;
}

/** Of one connection, not of what is asked. */
const HOP_BY_HOP = new Set([
  'connection',
  'keep-alive',
  'transfer-encoding',
  'upgrade',
  'te',
  'trailer',
  'proxy-authorization',
]);

export class HttpForward {
  readonly #options: HttpForwardOptions;
  readonly #agent = new Agent({ keepAlive: true });

  constructor(options: HttpForwardOptions) {
    this.#options = options;
  }

  readonly passOn = (request: IncomingMessage, response: ServerResponse): void => {
    const settler = this.#options.settler();
    if (settler === undefined) refuse(response);
    else this.#pass(request, response, settler);
  };

  close(): void {
    this.#agent.destroy();
  }

  #pass(request: IncomingMessage, response: ServerResponse, address: string): void {
    const { hostname, port } = new URL(address);
    const headers = { ...ownHeaders(request.headers), ...forwardedFor(request) };
    const { method, url: path } = request;
    const passed = sendRequest({ agent: this.#agent, host: hostname, port, method, path, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, ownHeaders(answer.headers));
      answer.pipe(response);
    });
    passed.on('error', () => (response.headersSent ? response.destroy() : refuse(response)));
    // Whoever leaves a stream ends it on the other side too.
    response.on('close', () => passed.destroy());
    request.pipe(passed);
  }
}

function ownHeaders(headers: IncomingMessage['headers']): Record<string, string | string[]> {
  const own = Object.entries(headers).filter(([name, value]) => value !== undefined && !HOP_BY_HOP.has(name));
  return Object.fromEntries(own) as Record<string, string | string[]>;
}

/** The other node counts by whoever asks, not by this one; it believes those it is told to trust. */
function forwardedFor({ headers, socket }: IncomingMessage): Record<string, string> {
  const earlier = headers['x-forwarded-for'];
  const address = socket.remoteAddress ?? '';
  return { 'x-forwarded-for': earlier === undefined ? address : `${String(earlier)}, ${address}` };
}

function refuse(response: ServerResponse): void {
  const error = new PresageError('partition_unavailable');
  const body = { error: error.message, code: error.code, requestId: randomUUID() };
  const headers = { 'Content-Type': 'application/json; charset=utf-8', 'Retry-After': '1' };
  response.writeHead(error.status, headers).end(JSON.stringify(body));
}
