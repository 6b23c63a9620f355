// A lean JSON-RPC client, the only connection to a node; it never retries by itself.
import { CallGathering, isQuick } from './call-gathering.ts';
import { AnswerTooLong, HttpPost, type Post, PostTimeout } from './http-post.ts';
import { type Rpc, type RpcCall, RpcError, type RpcFailure, type RpcOutcome, RpcUnavailable } from './rpc.ts';
import { SizeLimit } from './size-limit.ts';

export interface JsonRpcOptions {
  readonly url: string;
  /** Timeout after which a node is treated as unreachable; the call may still have taken effect. */
  readonly timeoutMs?: number;
  /** Largest batch; common providers refuse larger ones. For a node that takes fewer, or none, the client adapts. */
  readonly maxBatch?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Replaces HTTP as the connection to the node, for the simulator. */
  readonly post?: Post | undefined;
}

interface NumberedCall extends RpcCall {
  readonly jsonrpc: '2.0';
  readonly id: number;
}

/** The reply to a batch: an outcome for each call, or a refusal of the batch as a whole. */
type BatchReply = { readonly outcomes: RpcOutcome[] } | { readonly refusal: RpcFailure };

const DEFAULT_TIMEOUT_MS = 10_000;
const DEFAULT_MAX_BATCH = 100;

export class JsonRpc implements Rpc {
  readonly #post: Post;
  readonly #timeoutMs: number;
  readonly #quick = new CallGathering((calls) => this.#askAll(calls, 'together'));
  readonly #maxBatch: number;
  readonly #sizeLimit = new SizeLimit();
  #closed = false;
  #lastId = 0;

  constructor(options: JsonRpcOptions) {
    const headers = { 'content-type': 'application/json', ...options.headers };
    this.#post = options.post ?? new HttpPost(options.url, headers);
    this.#timeoutMs = options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
    this.#maxBatch = options.maxBatch ?? DEFAULT_MAX_BATCH;
  }

  async request(method: string, params: readonly unknown[] = []): Promise<unknown> {
    const call = { method, params };
    const outcome = await (isQuick(call) ? this.#quick.ask(call) : this.#askOne(call));
    if (!outcome.ok) throw outcome.error;
    return outcome.result;
  }

  batch(calls: readonly RpcCall[]): Promise<RpcOutcome[]> {
    if (calls.every(isQuick)) return Promise.all(calls.map((call) => this.#quick.ask(call)));
    return this.#askAll(calls, 'in order');
  }

  /** Fails every open call with `RpcUnavailable` and refuses new ones. */
  close(): void {
    this.#closed = true;
    this.#post.close();
  }

  /** Transactions are sent in order; reads need not wait for each other. */
  async #askAll(calls: readonly RpcCall[], how: 'together' | 'in order'): Promise<RpcOutcome[]> {
    const parts: (readonly RpcCall[])[] = [];
    const size = Math.min(this.#maxBatch, this.#sizeLimit.most);
    for (let start = 0; start < calls.length; start += size) parts.push(calls.slice(start, start + size));
    if (how === 'together') return (await Promise.all(parts.map((part) => this.#askPart(part, how)))).flat();
    const outcomes: RpcOutcome[] = [];
    for (const part of parts) outcomes.push(...(await this.#askPart(part, how)));
    return outcomes;
  }

  async #askPart(calls: readonly RpcCall[], how: 'together' | 'in order'): Promise<RpcOutcome[]> {
    const reply = calls.length === 1 ? { outcomes: [await this.#askOne(calls[0]!)] } : await this.#askBatch(calls);
    if ('outcomes' in reply) {
      if (reply.outcomes.some(({ ok }) => ok)) this.#sizeLimit.accept(calls.length);
      return reply.outcomes;
    }
    // The batch is too large for this node, or the node has a problem: sending one call alone shows which.
    const [first, ...rest] = calls;
    const outcome = await this.#askOne(first!);
    if (!outcome.ok && isSameTrouble(outcome.error, reply.refusal)) return calls.map(() => outcome);
    this.#sizeLimit.refuse(calls.length);
    return [outcome, ...(await this.#askAll(rest, how))];
  }

  async #askOne(call: RpcCall): Promise<RpcOutcome> {
    const numbered = this.#number(call);
    try {
      return toOutcome(await this.#exchange(numbered, call.method), numbered.id);
    } catch (error) {
      return { ok: false, error: toFailure(error) };
    }
  }

  async #askBatch(calls: readonly RpcCall[]): Promise<BatchReply> {
    const numbered = calls.map((call) => this.#number(call));
    try {
      return readBatch(await this.#exchange(numbered, `batch of ${calls.length}`), numbered);
    } catch (error) {
      const failure = toFailure(error);
      if (failure.reason === 'garbage') return { refusal: failure };
      return { outcomes: calls.map(() => ({ ok: false, error: failure })) };
    }
  }

  #number({ method, params = [] }: RpcCall): NumberedCall {
    this.#lastId += 1;
    return { jsonrpc: '2.0', id: this.#lastId, method, params };
  }

  async #exchange(body: unknown, label: string): Promise<unknown> {
    if (this.#closed) throw new RpcUnavailable('closed', label);
    try {
      const { status, text } = await this.#post.send(JSON.stringify(body), this.#timeoutMs);
      return parseReply(status, text, label);
    } catch (error) {
      throw this.#toUnavailable(error, label);
    }
  }

  #toUnavailable(error: unknown, label: string): RpcUnavailable {
    if (error instanceof RpcUnavailable) return error;
    if (this.#closed) return new RpcUnavailable('closed', label, error);
    if (error instanceof PostTimeout)
      return new RpcUnavailable('timeout', `${label} took over ${this.#timeoutMs} ms`, error);
    return new RpcUnavailable(error instanceof AnswerTooLong ? 'garbage' : 'transport', label, error);
  }
}

function toFailure(error: unknown): RpcUnavailable {
  if (error instanceof RpcUnavailable) return error;
  throw error;
}

/** A reply without an answer to any of the calls counts as a refusal of the batch. */
function readBatch(reply: unknown, calls: readonly NumberedCall[]): BatchReply {
  const entries: unknown[] = Array.isArray(reply) ? reply : [];
  const byId = new Map<unknown, unknown>();
  // Of two answers to one call the first counts; the second is treated as late.
  for (const entry of entries) if (isObject(entry) && !byId.has(entry.id)) byId.set(entry.id, entry);
  if (calls.every(({ id }) => !byId.has(id))) return { refusal: toRefusal(Array.isArray(reply) ? reply[0] : reply) };
  return { outcomes: calls.map(({ id }) => toOutcome(byId.get(id), id)) };
}

/**
 * Whether a single call fails like the batch: then the node is unreachable or rate-limited, and the batch is not too
 * large.
 */
function isSameTrouble(ofOne: RpcFailure, ofBatch: RpcFailure): boolean {
  if (ofOne instanceof RpcUnavailable) return true;
  return ofBatch instanceof RpcError && ofOne.code === ofBatch.code;
}

function toRefusal(reply: unknown): RpcFailure {
  const outcome = toOutcome(reply, Number.NaN);
  return outcome.ok ? new RpcUnavailable('garbage', 'an answer that belongs to no call of ours') : outcome.error;
}

function parseReply(status: number, text: string, label: string): unknown {
  // 429 and 5xx come from proxies and overloaded nodes: whatever the body says, it is no verdict on the call.
  if (status === 429 || status >= 500) throw new RpcUnavailable('status', `${label} answered ${status}`);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new RpcUnavailable('garbage', `${label} answered ${status} with a body that is not JSON`, error);
  }
}

function toOutcome(reply: unknown, id: number): RpcOutcome {
  if (!isObject(reply)) return unusable('no answer to this call');
  const error = reply.error;
  if (isObject(error) && typeof error.code === 'number') {
    const failure = new RpcError(error.code, String(error.message ?? ''), error.data);
    return { ok: false, error: isOverLimit(failure) ? new RpcUnavailable('status', failure.message) : failure };
  }
  if (reply.id !== id || !('result' in reply)) return unusable('an answer that belongs to no call of ours');
  return { ok: true, result: reply.result };
}

const TOO_MANY_REQUESTS = 429;
const LIMIT_WORDS = /rate.?limit|too many requests?|request limit|\bper second\b|\brps\b/i;

/**
 * Whether the node refuses for its rate limit: providers report that in single calls of a batch too, under many codes.
 * A revert that mentions a limit is the contract's own.
 */
function isOverLimit({ code, message, data }: RpcError): boolean {
  const isRevert = data !== undefined || /revert/i.test(message);
  return code === TOO_MANY_REQUESTS || (!isRevert && LIMIT_WORDS.test(message));
}

function unusable(detail: string): RpcOutcome {
  return { ok: false, error: new RpcUnavailable('garbage', detail) };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
