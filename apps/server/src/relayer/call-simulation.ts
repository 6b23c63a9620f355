// Asks the chain what a relayed call would do before a nonce is spent on it, and says why it would fail.
import {
  ContractReverted,
  callContract,
  type DecodedRevert,
  isRpcFailure,
  type Rpc,
  SenderClosed,
} from '@presage/chain';
import { asHex, type Hex, isObject, PresageError } from '@presage/protocol';
import type { CompletedCall, RelayedCall } from './ports.ts';

/** Names that the contracts of ours and of the tokens give to the same thing. */
const EXPIRED: readonly string[] = ['SignatureExpired', 'PermitExpired'];

type SimulatedCall = Pick<RelayedCall, 'to'> & CompletedCall;

export interface SimulationSite {
  readonly rpc: Rpc;
  /** The account that would send; undefined on a node without its key. */
  readonly relayer: Hex | undefined;
}

/** Resolves when it would succeed; otherwise throws PresageError. */
export async function simulateCall({ rpc, relayer }: SimulationSite, call: SimulatedCall): Promise<void> {
  const ask = (data: Hex) => callContract(rpc, { to: call.to, data, ...(relayer && { from: relayer }) }, 'pending');
  await askingChain(async () => {
    try {
      await ask(call.data);
    } catch (error) {
      if (!(error instanceof ContractReverted) || call.prefixes === undefined) throw error;
      throw toRefusal(error.revert, { index: await findFaulty(call.prefixes, ask) });
    }
  });
}

/** The place of the first part that fails. */
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

/** What a contract refuses is the caller's to fix; an unreachable chain is nobody's fault. */
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

/** Why a mined transaction reverted: the same call asked again of the block it stood in. */
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
