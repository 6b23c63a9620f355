// The two ways a JSON-RPC call can fail: there was no valid answer, or the node refused.

/** Why no usable answer came. After any of these the node may or may not have acted on the call. */
export type RpcUnavailableReason = 'transport' | 'timeout' | 'status' | 'garbage' | 'closed';

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
