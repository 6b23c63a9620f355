// JSON-RPC errors in geth's words, so that a client cannot distinguish the sandbox from a real node.

export const rpcCode = {
  revert: 3,
  server: -32000,
  limitExceeded: -32005,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
  parse: -32700,
} as const;

export class RpcError extends Error {
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.name = 'RpcError';
    this.code = code;
    this.data = data;
  }

  toWire(): { code: number; message: string; data?: unknown } {
    return { code: this.code, message: this.message, ...(this.data === undefined ? {} : { data: this.data }) };
  }
}

/** Error for an invalid parameter. */
export function invalidParams(message: string): RpcError {
  return new RpcError(rpcCode.invalidParams, message);
}

export interface EdrErrorBody {
  code: number;
  message: string;
  data?: unknown;
}

const translations: readonly (readonly [RegExp, (match: RegExpMatchArray) => string])[] = [
  [/^Known transaction/, () => 'already known'],
  [
    /nonce too low\. Expected nonce to be (?:at least )?(\d+) but got (\d+)/i,
    (m) => `nonce too low: next nonce ${m[1]}, tx nonce ${m[2]}`,
  ],
  [/^Replacement transaction underpriced/, () => 'replacement transaction underpriced'],
  [
    /enough funds to send tx\. The max upfront cost is: (\d+) and the sender's balance is: (\d+)/,
    (m) => `insufficient funds for gas * price + value: balance ${m[2]}, tx cost ${m[1]}`,
  ],
  [/requires at least (\d+) gas but got (\d+)/, (m) => `intrinsic gas too low: gas ${m[2]}, minimum needed ${m[1]}`],
  [/gas limit is (\d+) and exceeds block gas limit of (\d+)/, () => 'exceeds block gas limit'],
  [
    /^maxPriorityFeePerGas \((\d+)\) is bigger than maxFeePerGas \((\d+)\)/,
    (m) => `max priority fee per gas higher than max fee per gas: maxPriorityFeePerGas: ${m[1]}, maxFeePerGas: ${m[2]}`,
  ],
  [/invalid chainId\. The expected chainId is (\d+)/, (m) => `invalid chain id for signer: want ${m[1]}`],
  [
    /init code length is (\d+)\. The max length allowed by EIP-3860 is (\d+)/,
    (m) => `max initcode size exceeded: code size ${m[1]}, limit ${m[2]}`,
  ],
];

/** Translates an error of the inner node for clients. */
export function toRpcError(body: EdrErrorBody): RpcError {
  const execution = executionOf(body.data);
  if (execution) return toExecutionError(body.message, execution);
  for (const [pattern, word] of translations) {
    const match = body.message.match(pattern);
    if (match) return new RpcError(rpcCode.server, word(match));
  }
  if (body.code === -32004) {
    return new RpcError(
      rpcCode.methodNotFound,
      body.message.replace(/^Method (\S+) is.*/, 'the method $1 does not exist/is not available'),
    );
  }
  // Without `data`: for a parameter error the node repeats the whole request there, and clients would display it.
  return new RpcError(body.code, body.message.trim());
}

interface Execution {
  readonly reverted: boolean;
  readonly output: string;
}

function executionOf(data: unknown): Execution | undefined {
  if (typeof data !== 'object' || data === null || !('reason' in data) || !('data' in data)) return undefined;
  const { reason, data: output } = data;
  if (typeof output !== 'string') return undefined;
  return { reverted: typeof reason === 'object' && reason !== null && 'Revert' in reason, output };
}

function toExecutionError(message: string, execution: Execution): RpcError {
  if (!execution.reverted) {
    const halt = /out of gas/i.test(message)
      ? 'out of gas'
      : message.replace(/^VM Exception while processing transaction: /, '');
    return new RpcError(rpcCode.server, halt);
  }
  const reason = message.match(/reverted with reason string '([\s\S]*)'$/)?.[1];
  return new RpcError(
    rpcCode.revert,
    reason === undefined ? 'execution reverted' : `execution reverted: ${reason}`,
    execution.output,
  );
}
