// Asks the chain what a relayed call would do before a nonce is spent on it, and says why it would fail.
import {
  ContractReverted,
  callContract,
  type DecodedRevert,
  decodeRevert,
  isRpcFailure,
  type Rpc,
} from '@presage/chain';
import { type Hex, PresageError } from '@presage/protocol';
import { decodeFunctionResult, encodeFunctionData, multicall3Abi } from 'viem';
import type { RelayedCall } from './ports.ts';

/** Names that the contracts of ours and of the tokens give to the same thing. */
const EXPIRED: readonly string[] = ['SignatureExpired', 'PermitExpired'];

export interface SimulationSite {
  readonly rpc: Rpc;
  readonly relayer: Hex;
}

/** Resolves when it would succeed; otherwise throws PresageError. */
export async function simulateCall({ rpc, relayer }: SimulationSite, call: RelayedCall): Promise<void> {
  await askingChain(async () => {
    if (call.parts !== undefined) return simulateParts({ rpc, relayer }, call);
    await callContract(rpc, { to: call.to, data: call.data, from: relayer }, 'pending');
  });
}

/** Failures are allowed in the simulation alone: the multicall contract would swallow the reason. */
async function simulateParts({ rpc, relayer }: SimulationSite, { to, parts = [] }: RelayedCall): Promise<void> {
  const calls = parts.map((part) => ({ target: part.to, allowFailure: true, callData: part.data }));
  const data = encodeFunctionData({ abi: multicall3Abi, functionName: 'aggregate3', args: [calls] });
  const answer = await callContract(rpc, { to, data, from: relayer }, 'pending');
  const results = decodeFunctionResult({ abi: multicall3Abi, functionName: 'aggregate3', data: answer });
  const index = results.findIndex(({ success }) => !success);
  if (index >= 0) throw toRefusal(decodeRevert(results[index]!.returnData), { index });
}

/** What a contract refuses is the caller's to fix; an unreachable chain is nobody's fault. */
export async function askingChain<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ContractReverted) throw toRefusal(error.revert);
    if (isRpcFailure(error)) throw new PresageError('chain_unavailable', { reason: error.message });
    throw error;
  }
}

function toRefusal(revert: DecodedRevert | null, where: { readonly index?: number } = {}): PresageError {
  const { name, message } = revert ?? { name: 'Unknown', message: 'reverted without a reason' };
  const code = EXPIRED.includes(name) ? 'deadline_passed' : 'simulation_failed';
  return new PresageError(code, { reason: message, ...where });
}

/** Why a mined transaction reverted: the same call asked again of the block it stood in. */
export async function findRevertReason(rpc: Rpc, hash: Hex, blockNumber: number): Promise<string> {
  const unknown = 'the transaction reverted';
  try {
    const sent = (await rpc.request('eth_getTransactionByHash', [hash])) as { from: Hex; to: Hex; input: Hex } | null;
    if (sent === null) return unknown;
    await callContract(rpc, { from: sent.from, to: sent.to, data: sent.input }, { number: blockNumber });
    return unknown;
  } catch (error) {
    return error instanceof ContractReverted ? error.revert.message : unknown;
  }
}
