// How calls to a chain are refused: what a contract refuses is the caller's to fix; an unreachable chain is nobody's fault.
import { PresageError } from '@presage/protocol';
import { isRpcFailure, RpcUnavailable } from './rpc-errors.ts';
import { ContractReverted } from './typed-contract.ts';

export async function withRefusals<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof RpcUnavailable) throw new PresageError('chain_unavailable', { reason: error.message });
    if (error instanceof ContractReverted || isRpcFailure(error)) {
      throw new PresageError('simulation_failed', { reason: error.message });
    }
    throw error;
  }
}
