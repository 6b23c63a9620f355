// Lets viem's clients read through our RPC client, without the retries viem would add on its own.
import { type CustomTransport, custom } from 'viem';
import type { Rpc } from './rpc.ts';

export function viemTransport(rpc: Rpc): CustomTransport {
  const request = ({ method, params }: { method: string; params?: unknown }) =>
    rpc.request(method, Array.isArray(params) ? params : []);
  return custom({ request }, { retryCount: 0 });
}
