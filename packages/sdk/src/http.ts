// HTTP requests to the service: exact numbers both ways, typed refusals, retries where a repetition is harmless.
import { parseJson, stringifyJson } from '@presage/protocol/browser';
import { Backoff, limitTime, readBoundedText, sleep } from '@presage/runtime';
import { PresageApiError, PresageConnectionError, PresageInputError, type Refusal } from './errors.ts';

export interface HttpOptions {
  /** URL of the service: `http://127.0.0.1:8080`. */
  readonly url: string;
  /** A replacement for the global fetch, for a proxy or a test. */
  readonly fetch?: typeof fetch;
  /** How many times a repeatable request is retried; 4 by default. */
  readonly retries?: number;
  /** How long one attempt may take; 30 s by default. */
  readonly timeoutMs?: number;
}

/** Options of every call. */
export interface CallOptions {
  /** Aborts the call. */
  readonly signal?: AbortSignal | undefined;
}

export interface ChainOptions extends CallOptions {
  /** Chain id; by default the client's chain or, if it has none, the service's first. */
  readonly chainId?: number | undefined;
}

/** Any object of plain values: query types are interfaces, which have no index signature. */
export type Query = object;

/** A read without query parameters. */
export type Read<A> = (options?: CallOptions) => Promise<A>;

/**
 * When a request may be repeated. `always`: the service recognises a repetition. `unaccepted`: only if the response
 * says that nothing was done.
 */
export type Repeatable = 'always' | 'unaccepted';

export interface HttpRequest extends CallOptions {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly query?: Query;
  readonly body?: unknown;
  readonly repeatable: Repeatable;
  readonly authorization?: Authorization | undefined;
}

/**
 * Called for each attempt, because bearer tokens are single-use. `expired` is the refusal of the previous one if its
 * time was the reason.
 */
export type Authorization = (expired: PresageApiError | undefined, sent: SentRequest) => Promise<string | undefined>;

export interface OpenOptions extends CallOptions, Pick<HttpRequest, 'authorization'> {
  readonly headers?: Record<string, string>;
}

/** A request as it is sent. */
interface SentRequest {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly body: string | undefined;
}

const DEFAULT_RETRIES = 4;
const DEFAULT_TIMEOUT_MS = 30_000;
const BACKOFF = { firstMs: 200, longestMs: 5_000 };
/**
 * Longest wait before a retry. A budget of the relayer may take an hour or a day to refill: that refusal goes to the
 * caller at once, with `retryAfterMs`.
 */
const LONGEST_WAIT_MS = 60_000;
/** Statuses for "nothing was done, try again". */
const UNACCEPTED = new Set([425, 429]);
const FOREIGN = 'the answer is not of the service';

export class Http {
  readonly url: string;
  readonly #fetch: typeof fetch;
  readonly #retries: number;
  readonly #timeoutMs: number;
  readonly position = new JournalPosition();
  /** Chains of markets, learned from lists: a market never changes its chain. */
  readonly chainIds = new Map<string, number>();

  constructor(options: HttpOptions) {
    this.url = options.url.replace(/\/+$/, '');
    // Wrapped, because a browser's fetch must be called on the window.
    this.#fetch = options.fetch ?? ((...args) => globalThis.fetch(...args));
    this.#retries = options.retries ?? DEFAULT_RETRIES;
    this.#timeoutMs = options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
  }

  get<T>(path: string, query: Query = {}, { signal }: CallOptions = {}): Promise<T> {
    return this.send({ method: 'GET', path, query, signal, repeatable: 'always' });
  }

  /** Makes a function that reads a path. */
  reader<A>(path: string): Read<A> {
    return (options) => this.get(path, {}, options);
  }

  async send<T>(request: HttpRequest): Promise<T> {
    const backoff = new Backoff(BACKOFF);
    /** Set while it is unknown whether a write was executed: an attempt had no answer, and no later one has told. */
    let lost: unknown;
    for (let left = this.#retries; ; left--) {
      try {
        // The caller names the answer's type, as the API document defines it.
        return (await byItsClock((expired) => this.#attempt(request, expired))) as T;
      } catch (error) {
        request.signal?.throwIfAborted();
        if (!mayRepeat(request, error)) throw error;
        if (request.body && error instanceof PresageConnectionError) lost = error;
        const ms = waitMs(error, backoff.nextMs());
        if (left <= 0 || ms > LONGEST_WAIT_MS) throw lost ?? error;
        await sleep(ms, request.signal);
      }
    }
  }

  /** GET whose body is read as a stream. */
  open(path: string, { headers = {}, signal, authorization }: OpenOptions): Promise<Response> {
    return byItsClock(async (expired) => {
      const token = await authorization?.(expired, { method: 'GET', path, body: undefined });
      const init = { headers: { ...headers, ...headersOf(undefined, token) }, ...(signal && { signal }) };
      const response = await this.#call(this.url + path, init);
      if (!response.ok) throw toRefusal(response, await this.#textOf(response));
      return response;
    });
  }

  async #attempt(request: HttpRequest, expired: PresageApiError | undefined): Promise<unknown> {
    const limit = limitTime(this.#timeoutMs, request.signal);
    try {
      const { method } = request;
      const path = request.path + toQueryText(request.query ?? {});
      const body = request.body === undefined ? undefined : stringifyJson(request.body);
      const token = await request.authorization?.(expired, { method, path, body });
      const response = await this.#call(this.url + path, {
        method,
        headers: { ...headersOf(body, token), ...this.position.header() },
        signal: limit.signal,
        // A redirect would turn a write into a read, drop its token, or execute it where its answer counts as a refusal.
        redirect: method === 'GET' ? 'follow' : 'manual',
        ...(body !== undefined && { body }),
      });
      // Browsers hide a redirect behind status 0 without its target.
      if (!response.ok && response.status < 400) {
        const target = response.headers.get('location') ?? 'another address';
        throw new PresageInputError('url', 'the final address', `a redirect to ${target}`);
      }
      this.position.learn(response.headers.get(POSITION_HEADER));
      const text = await this.#textOf(response);
      if (!response.ok) throw toRefusal(response, text);
      return parseAnswer(text);
    } finally {
      limit.release();
    }
  }

  async #textOf(response: Response): Promise<string> {
    try {
      return await readBoundedText(response);
    } catch (cause) {
      throw new PresageConnectionError(`the answer of ${this.url} could not be read to its end`, cause);
    }
  }

  async #call(url: string, init: RequestInit): Promise<Response> {
    try {
      return await this.#fetch(url, init);
    } catch (cause) {
      throw new PresageConnectionError(`no answer from ${this.url}`, cause);
    }
  }
}

/** Makes a second attempt if this machine's clock is off: a token by the service's clock may be valid. */
async function byItsClock<T>(attempt: (expired?: PresageApiError) => Promise<T>): Promise<T> {
  try {
    return await attempt();
  } catch (error) {
    if (error instanceof PresageApiError && error.code === 'token_expired') return attempt(error);
    throw error;
  }
}

function headersOf(body: string | undefined, token: string | undefined): Record<string, string> {
  return {
    ...(body !== undefined && { 'content-type': 'application/json' }),
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
  };
}

export function toQueryText(query: Query): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) parameters.set(name, String(value));
  }
  const text = parameters.toString();
  return text && `?${text}`;
}

/**
 * A proxy may have answered with an HTML page. From status 500 on it does not know whether the request was executed.
 */
function toRefusal({ status, statusText, headers }: Response, text: string): Error {
  const error = `${status} ${statusText}`.trim();
  const said = readRefusal(text);
  if (said === undefined && status >= 500) return new PresageConnectionError(FOREIGN, error);
  // A missing header, a date or zero gives undefined: the backoff decides.
  const retryAfterMs = Number(headers.get('retry-after')) * 1_000 || undefined;
  const requestId = headers.get('x-request-id');
  return new PresageApiError(
    status,
    said ?? { error, code: 'unexpected_answer', ...(requestId !== null && { requestId }) },
    retryAfterMs,
  );
}

function readRefusal(text: string): Refusal | undefined {
  try {
    // The next line checks the fields.
    const body = parseJson(text) as Refusal | null;
    return typeof body?.code === 'string' && typeof body.error === 'string' ? body : undefined;
  } catch {
    return undefined;
  }
}

/** Parses a success; a proxy's HTML page may arrive with a success status, too. */
function parseAnswer(text: string): unknown {
  try {
    return parseJson(text);
  } catch (cause) {
    throw new PresageConnectionError(FOREIGN, cause);
  }
}

function mayRepeat({ repeatable }: HttpRequest, error: unknown): boolean {
  if (repeatable === 'always' && mayPass(error)) return true;
  return error instanceof PresageApiError && UNACCEPTED.has(error.status);
}

function mayPass(error: unknown): boolean {
  return error instanceof PresageConnectionError || (error instanceof PresageApiError && error.retryable);
}

/** For polling: an unreachable service says nothing about the awaited result. */
export function throwUnlessPassing(error: unknown): undefined {
  if (!mayPass(error)) throw error;
}

function waitMs(error: unknown, backoffMs: number): number {
  return Math.max(backoffMs, (error instanceof PresageApiError ? error.retryAfterMs : undefined) ?? 0);
}

const POSITION_HEADER = 'presage-position';

class JournalPosition {
  readonly #partitions = new Map<string, number>();

  /** Learns the position from an answer or a message; a service with one node sends none. */
  learn(text: string | null | undefined): void {
    for (const entry of text?.split(';') ?? []) {
      const [partition = '', seq] = entry.split('=');
      const known = this.#partitions.get(partition) ?? 0;
      if (Number.isSafeInteger(Number(seq))) this.#partitions.set(partition, Math.max(known, Number(seq)));
    }
  }

  header(): Record<string, string> {
    if (this.#partitions.size === 0) return {};
    return { [POSITION_HEADER]: [...this.#partitions].map(([partition, seq]) => `${partition}=${seq}`).join(';') };
  }
}
