// The interface of a node for the rest of the package: calls, their outcomes, and the two ways in which a call fails.

/**
 * Why there is no usable answer. `behind`: the node lags behind blocks that were seen. `held`: nothing is sent for now.
 * After any other reason the node may or may not have executed the call.
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

/** The interface that the rest of the package needs of a node; `JsonRpc` implements it outside tests. */
export interface Rpc {
  request(method: string, params?: readonly unknown[]): Promise<unknown>;
  /** Never rejects: every call gets its own outcome, in the order of the calls. */
  batch(calls: readonly RpcCall[]): Promise<RpcOutcome[]>;
}
