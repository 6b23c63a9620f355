// Passes a whole HTTP request on to the settler and its answer back, streams included.
import { Agent, type IncomingMessage, type ServerResponse, request as sendRequest } from 'node:http';
import { pipeline } from 'node:stream';
import { PresageError } from '@presage/protocol';

/** Headers of a single connection (RFC 9110, 7.6.1), and those that this node has handled itself. */
const HOP_BY_HOP = new Set([
  'connection',
  'proxy-connection',
  'keep-alive',
  'transfer-encoding',
  'upgrade',
  'te',
  'trailer',
  'expect',
  'proxy-authenticate',
  'proxy-authorization',
]);
/** Headers that stay even if `Connection` lists them: a sender must not be able to hide who asks, or remove an answer's length. */
const END_TO_END = new Set(['host', 'content-length', 'forwarded', 'x-forwarded-for']);
/** The settler closes idle connections after 72 s, and a request sent on a closing connection is lost. */
const IDLE_MS = 60_000;
/** Timeout for the start of an answer. Longer than any takes; needed since a machine that vanished closes no connection. */
const ANSWER_MS = 45_000;

export interface HttpForwardOptions {
  /** Address of the node that owns the chains; undefined while there is none. */
  readonly settler: () => string | undefined;
  /** Headers that tell the settler whose request it is. Default: the chain of addresses, which it believes from proxies that it is set to trust. */
  readonly sign?: (request: IncomingMessage) => Readonly<Record<string, string>>;
  /** How long an answer may take to begin. */
  readonly answerMs?: number;
}

export class HttpForward {
  readonly #settler: () => string | undefined;
  readonly #sign: (request: IncomingMessage) => Readonly<Record<string, string>>;
  readonly #answerMs: number;
  readonly #agent = new Agent({ keepAlive: true, timeout: IDLE_MS });

  constructor({ settler, sign = forwardedFor, answerMs = ANSWER_MS }: HttpForwardOptions) {
    this.#settler = settler;
    this.#sign = sign;
    this.#answerMs = answerMs;
  }

  /** Takes the whole body, so that its length is known and no connection to the settler waits for it. */
  readonly passOn = (
    request: IncomingMessage,
    response: ServerResponse,
    body: Buffer,
    refuse: (error: PresageError) => void,
  ): void => {
    const settler = this.#settler();
    if (settler === undefined) refuse(new PresageError('partition_unavailable'));
    else this.#pass({ request, response, body, refuse }, settler);
  };

  close(): void {
    this.#agent.destroy();
  }

  #pass({ request, response, body, refuse }: Passed, address: string): void {
    const { hostname, port } = new URL(address);
    const headers = { ...ownHeaders(request.headers), ...this.#sign(request), ...framingOf(request, body) };
    const { method, url: path } = request;
    const late = setTimeout(() => passed.destroy(new Error('no answer')), this.#answerMs).unref();
    const passed = sendRequest({ agent: this.#agent, host: hostname, port, method, path, headers }, (answer) => {
      clearTimeout(late);
      response.writeHead(answer.statusCode ?? 502, ownHeaders(answer.headers));
      // `pipeline` also destroys the response if the answer breaks off.
      pipeline(answer, response, () => undefined);
    });
    passed.on('error', () => {
      if (response.headersSent) response.destroy();
      else refuse(new PresageError('partition_unavailable'));
    });
    // A client that leaves a stream ends it on the settler too.
    response.on('close', () => {
      clearTimeout(late);
      passed.destroy();
    });
    passed.end(body);
  }
}

interface Passed {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly body: Buffer;
  readonly refuse: (error: PresageError) => void;
}

function ownHeaders(headers: IncomingMessage['headers']): Record<string, string | string[]> {
  const named = new Set((headers.connection ?? '').split(',').map((name) => name.trim().toLowerCase()));
  const isOwn = (name: string) => !HOP_BY_HOP.has(name) && (!named.has(name) || END_TO_END.has(name));
  const own: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(headers)) if (value !== undefined && isOwn(name)) own[name] = value;
  return own;
}

/** States the length of every body, since Node adds none to a GET or DELETE: its bytes would be read as the next request. */
function framingOf({ headers }: IncomingMessage, body: Buffer): Record<string, number> {
  const isAnnounced = headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
  return isAnnounced ? { 'content-length': body.length } : {};
}

/**
 * The settler applies rate limits by client, not by this node. It believes the header that it is set to read, from proxies that it is set
 * to trust, so both headers name the peer of this connection: a list written by the client alone would be believed as it is.
 */
function forwardedFor({ headers, socket }: IncomingMessage): Record<string, string> {
  const address = socket.remoteAddress ?? '';
  const element = address.includes(':') ? `for="[${address}]"` : `for=${address}`;
  const extend = (earlier: string | string[] | undefined, last: string) =>
    earlier === undefined ? last : `${String(earlier)}, ${last}`;
  return {
    'x-forwarded-for': extend(headers['x-forwarded-for'], address),
    forwarded: extend(headers.forwarded, element),
  };
}
