// How the sandbox's desks refuse: what the chain refuses is the caller's to mend; a chain that is away, nobody's.
import { ContractReverted, isRpcFailure, RpcUnavailable } from '@presage/chain';
import { PresageError } from '@presage/protocol';

export async function refusing<T>(work: () => Promise<T>): Promise<T> {
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
