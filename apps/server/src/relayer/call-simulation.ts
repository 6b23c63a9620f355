// Simulates a relayed call before a nonce is spent on it, and reports why it would fail.
import {
  type ContractCall,
  ContractReverted,
  callContract,
  type DecodedRevert,
  isRpcFailure,
  type NodeReader,
  type Rpc,
  SenderClosed,
} from '@presage/chain';
import { asHex, type Hex, isObject, PresageError } from '@presage/protocol';
import type { CompletedCall, RelayedCall } from './ports.ts';

/** Errors for an expired signature: our contracts and the tokens use different names. */
const EXPIRED: readonly string[] = ['SignatureExpired', 'PermitExpired'];

type SimulatedCall = Pick<RelayedCall, 'to'> & CompletedCall;

export interface SimulationSite {
  readonly rpc: Rpc;
  readonly node: Pick<NodeReader, 'head'>;
  /** Account that would send the call; undefined on a node without its key. */
  readonly relayer: Hex | undefined;
}

/** Resolves if the call would succeed; otherwise throws a PresageError. */
export async function simulateCall(site: SimulationSite, call: SimulatedCall): Promise<void> {
  const ask = (data: Hex) => askPending(site, { to: call.to, data });
  await askingChain(async () => {
    try {
      await ask(call.data);
    } catch (error) {
      if (!(error instanceof ContractReverted) || call.prefixes === undefined) throw error;
      throw toRefusal(error.revert, { index: await findFaulty(call.prefixes, ask) });
    }
  });
}

/** Simulates against the pending block. A revert counts only if the newest block seen reverts too: a node that is behind lacks what was just mined. */
async function askPending({ rpc, node, relayer }: SimulationSite, call: ContractCall): Promise<void> {
  const question = { ...call, ...(relayer && { from: relayer }) };
  try {
    await callContract(rpc, question, 'pending');
  } catch (error) {
    // The newest block may be too old to show that something has expired.
    if (!(error instanceof ContractReverted) || EXPIRED.includes(error.revert.name)) throw error;
    await callContract(rpc, question, { hash: (await node.head()).hash });
    const reason = `the node is behind, or what waits to be mined prevents the call: ${error.revert.message}`;
    throw new PresageError('chain_unavailable', { reason });
  }
}

/** Index of the first part that fails. */
async function findFaulty(prefixes: readonly Hex[], ask: (data: Hex) => Promise<unknown>): Promise<number> {
  for (const [index, prefix] of prefixes.entries()) {
    const isFaulty = await ask(prefix).then(
      () => false,
      (error: unknown) => error instanceof ContractReverted,
    );
    if (isFaulty) return index;
  }
  return prefixes.length;
}

/** Maps failures of `work` to errors of the catalogue: a revert is for the caller to fix, an unreachable chain is `chain_unavailable`. */
export async function askingChain<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ContractReverted) throw toRefusal(error.revert);
    if (isRpcFailure(error)) throw new PresageError('chain_unavailable', { reason: error.message });
    if (error instanceof SenderClosed) throw new PresageError('overloaded', { reason: 'shutting down' });
    throw error;
  }
}

function toRefusal({ name, message }: DecodedRevert, where: { readonly index?: number } = {}): PresageError {
  const code = EXPIRED.includes(name) ? 'deadline_passed' : 'simulation_failed';
  return new PresageError(code, { reason: message, ...where });
}

/** Finds why a mined transaction reverted by repeating its call at its block. */
export async function findRevertReason(rpc: Rpc, hash: Hex, blockNumber: number): Promise<string> {
  const unknown = 'the transaction reverted';
  try {
    const sent = await rpc.request('eth_getTransactionByHash', [hash]);
    if (!isObject(sent)) return unknown;
    const call = { from: asHex(sent.from), to: asHex(sent.to), data: asHex(sent.input) };
    await callContract(rpc, call, { number: blockNumber });
    return unknown;
  } catch (error) {
    return error instanceof ContractReverted ? error.revert.message : unknown;
  }
}
