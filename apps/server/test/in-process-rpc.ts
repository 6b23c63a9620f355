// The contracts' chain inside the test process, as the service asks a node.
import { type Rpc, RpcError } from '@presage/chain';
import type { InProcessChain } from '../../../contracts/test/in-process-chain.ts';

/** `asked` gets the name of every method. */
export function toRpc(chain: InProcessChain, asked: string[] = []): Rpc {
  return {
    request: async (method, params = []) => {
      asked.push(method);
      try {
        return await chain.client.request({ method, params } as never);
      } catch (error) {
        const { message, code, data } = toCause(error);
        throw new RpcError(code ?? -32000, message, data);
      }
    },
    batch: () => Promise.reject(new Error('no batch is asked')),
  };
}

function toCause(error: unknown): { message: string; code?: number; data?: unknown } {
  const { cause } = error as { cause?: unknown };
  return cause instanceof Error ? toCause(cause) : (error as Error);
}
