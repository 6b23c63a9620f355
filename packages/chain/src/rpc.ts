// What a node is to the rest of the package: calls, their outcomes, and the two ways in which one fails.

/**
 * Why no usable answer came: `behind` if the node has not seen blocks that another has, `held` if nothing is sent for now. After any other the
 * node may or may not have acted on the call.
 */
type RpcUnavailableReason = 'transport' | 'timeout' | 'status' | 'garbage' | 'behind' | 'held' | 'closed';

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

export type RpcFailure = RpcUnavailable | RpcError;

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
