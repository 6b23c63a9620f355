// A lean JSON-RPC client: the only way this system talks to a node; it never retries on its own.
import { HttpPost, type Post, PostTimeout } from './http-post.ts';

/** Why no usable answer came. After any of these the node may or may not have acted on the call. */
type RpcUnavailableReason = 'transport' | 'timeout' | 'status' | 'garbage' | 'closed';

/** No usable answer: the outcome of the call is unknown. */
export class RpcUnavailable extends Error {
  override readonly name = 'RpcUnavailable';
  readonly reason: RpcUnavailableReason;

  constructor(reason: RpcUnavailableReason, detail: string, cause?: unknown) {
    super(`RPC ${reason}: ${detail}`, cause === undefined ? undefined : { cause });
    this.reason = reason;
  }
}

/** The node understood the call and refused it. */
export class RpcError extends Error {
  override readonly name = 'RpcError';
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

type RpcFailure = RpcUnavailable | RpcError;

export function isRpcFailure(error: unknown): error is RpcFailure {
  return error instanceof RpcUnavailable || error instanceof RpcError;
}

export interface RpcCall {
  readonly method: string;
  readonly params?: readonly unknown[];
}

export type RpcOutcome =
  | { readonly ok: true; readonly result: unknown }
  | { readonly ok: false; readonly error: RpcFailure };

/** What the rest of the package needs of a node; `JsonRpc` is the body used everywhere outside tests. */
export interface Rpc {
  request(method: string, params?: readonly unknown[]): Promise<unknown>;
  /** Never throws: every call gets its own outcome, in the order of the calls. */
  batch(calls: readonly RpcCall[]): Promise<RpcOutcome[]>;
}

export interface JsonRpcOptions {
  readonly url: string;
  /** A node that needs longer than this is treated as unreachable; the call may still have taken effect. */
  readonly timeoutMs?: number;
  /** Common providers refuse larger batches. */
  readonly maxBatch?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Another way to the node than HTTP, for the simulator. */
  readonly post?: Post | undefined;
}

const DEFAULT_TIMEOUT_MS = 10_000;
const DEFAULT_MAX_BATCH = 100;

export class JsonRpc implements Rpc {
  readonly #post: Post;
  readonly #timeoutMs: number;
  readonly #maxBatch: number;
  #closed = false;
  #lastId = 0;

  constructor(options: JsonRpcOptions) {
    const headers = { 'content-type': 'application/json', ...options.headers };
    this.#post = options.post ?? new HttpPost(options.url, headers);
    this.#timeoutMs = options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
    this.#maxBatch = options.maxBatch ?? DEFAULT_MAX_BATCH;
  }

  async request(method: string, params: readonly unknown[] = []): Promise<unknown> {
    const id = this.#nextId();
    const reply = await this.#exchange({ jsonrpc: '2.0', id, method, params }, method);
    const outcome = toOutcome(reply, id);
    if (!outcome.ok) throw outcome.error;
    return outcome.result;
  }

  async batch(calls: readonly RpcCall[]): Promise<RpcOutcome[]> {
    const outcomes: RpcOutcome[] = [];
    for (let start = 0; start < calls.length; start += this.#maxBatch) {
      outcomes.push(...(await this.#batchOnce(calls.slice(start, start + this.#maxBatch))));
    }
    return outcomes;
  }

  /** Ends every open call with `RpcUnavailable` and refuses new ones. */
  close(): void {
    this.#closed = true;
    this.#post.close();
  }

  async #batchOnce(calls: readonly RpcCall[]): Promise<RpcOutcome[]> {
    const body = calls.map(({ method, params = [] }) => ({ jsonrpc: '2.0', id: this.#nextId(), method, params }));
    try {
      const reply = await this.#exchange(body, `batch of ${calls.length}`);
      if (!Array.isArray(reply)) return body.map(({ id }) => toOutcome(reply, id));
      const byId = new Map(reply.map((entry) => [isObject(entry) ? entry.id : undefined, entry]));
      return body.map(({ id }) => toOutcome(byId.get(id), id));
    } catch (error) {
      if (!(error instanceof RpcUnavailable)) throw error;
      return calls.map(() => ({ ok: false, error }));
    }
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
    return new RpcUnavailable('transport', label, error);
  }

  #nextId(): number {
    this.#lastId += 1;
    return this.#lastId;
  }
}

function parseReply(status: number, text: string, label: string): unknown {
  // 429 and 5xx come from proxies and overloaded nodes: whatever their body says, the call was not judged.
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
    return { ok: false, error: new RpcError(error.code, String(error.message ?? ''), error.data) };
  }
  if (reply.id !== id || !('result' in reply)) return unusable('an answer that belongs to no call of ours');
  return { ok: true, result: reply.result };
}

function unusable(detail: string): RpcOutcome {
  return { ok: false, error: new RpcUnavailable('garbage', detail) };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
