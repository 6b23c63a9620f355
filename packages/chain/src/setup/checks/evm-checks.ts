// Whether the chain's EVM knows every instruction that our contracts are compiled to.
import type { Hex } from '@presage/protocol';
import type { Rpc } from '../../rpc.ts';
import { RpcError } from '../../rpc-errors.ts';
import { ContractReverted, callContract } from '../../typed-contract.ts';
import { type ChainCheckOptions, type ChainFault, fault } from './chain-fault.ts';

interface ProbedInstruction {
  readonly name: string;
  readonly opcode: number;
  /** The hard fork that brought it. */
  readonly since: string;
  /** Creation code that runs it and leaves an empty contract. */
  readonly program: Hex;
}

/** What the compiler may use for the EVM version in contracts/scripts/compile.ts and an older EVM does not know; a test compares the bytecode. */
export const PROBED_INSTRUCTIONS: readonly ProbedInstruction[] = [
  { name: 'PUSH0', opcode: 0x5f, since: 'Shanghai', program: '0x5f5ff3' },
  { name: 'MCOPY', opcode: 0x5e, since: 'Cancun', program: '0x6000600060005e60006000f3' },
];

/** Runs on every EVM: a node that refuses it refuses the kind of call, and says nothing of its instructions. */
const ANY_EVM: Hex = '0x60006000f3';
const REMEDY =
  'The contracts need an EVM of Cancun or later: name a node whose chain has that upgrade, or start the development chain with it (Anvil: `--hardfork cancun`; Ganache ends at Shanghai).';

/** Contracts compiled for a newer EVM can be put on a chain and then revert in some functions without a reason. */
export async function findMissingInstructions({ rpc }: Pick<ChainCheckOptions, 'rpc'>): Promise<ChainFault[]> {
  const refusals = await Promise.all(PROBED_INSTRUCTIONS.map(({ program }) => findRefusal(rpc, program)));
  if (refusals.every((refusal) => refusal === undefined)) return [];
  const refusal = await findRefusal(rpc, ANY_EVM);
  if (refusal !== undefined) throw refusal;
  return PROBED_INSTRUCTIONS.flatMap(({ name, since, program }, index) => {
    const reason = refusals[index]?.message;
    if (reason === undefined) return [];
    return [fault(`the EVM has no ${name} (${since}): eth_call of the code ${program} answered "${reason}"`, REMEDY)];
  });
}

async function findRefusal(rpc: Rpc, data: Hex): Promise<RpcError | undefined> {
  try {
    await callContract(rpc, { data });
    return undefined;
  } catch (error) {
    const refusal = error instanceof ContractReverted ? error.cause : error;
    if (refusal instanceof RpcError) return refusal;
    throw error;
  }
}
