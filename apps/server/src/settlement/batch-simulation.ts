// Simulates a batch behind the batches in flight: one code per fill.
import {
  ContractReverted,
  type Contracts,
  type ReadBlock,
  type Rpc,
  RpcError,
  type SettleBatchArguments,
} from '@presage/chain';
import { presageSettlementAbi } from '@presage/contracts';
import { fromHex, type Hex } from '@presage/protocol';
import { decodeFunctionResult, numberToHex } from 'viem';

export interface SimulatedCodes {
  readonly kind: 'codes';
  readonly codes: Uint8Array;
  /** Gas used, if the node reports it. */
  readonly gasUsed?: bigint;
}

type Simulation =
  | SimulatedCodes
  /** The whole call would fail, for example paused or not the operator; no order is to blame. */
  | { readonly kind: 'refused'; readonly reason: string };

/** An earlier batch of the same sender that is not known to be mined. */
export interface Predecessor {
  readonly nonce: number;
  readonly batch: SettleBatchArguments;
}

export interface BatchSimulator {
  /** Whether the node executes pending transactions before the call; they must have reached it then. */
  readonly needsPredecessorsAtNode: boolean;
  /** Simulates a batch behind its predecessors. Rejects if the chain does not answer. */
  simulate(batch: SettleBatchArguments, predecessors: () => readonly Predecessor[]): Promise<Simulation>;
  /** Simulates a batch alone at the end of a block. Rejects if the node lacks the block. */
  simulateMined(batch: SettleBatchArguments, blockHash: Hex): Promise<Simulation>;
}

interface SimulationOptions {
  readonly rpc: Rpc;
  readonly contracts: Contracts;
  readonly settler: Hex;
  /** Gas limit of a transaction; fills that do not fit are reported as not attempted. */
  readonly gas: bigint;
  /** Gas price that a transaction would pay now, so that wallets cannot recognize a simulation by it. */
  readonly gasPrice: () => Promise<bigint>;
}

const METHOD_NOT_FOUND = -32601;
/** Limit of repetitions because a block between two calls changed the predecessors; more in a row mean that the node is inconsistent. */
const MAX_ROUNDS = 5;

/**
 * Opens the best simulator that the node supports. With `eth_simulateV1` the predecessors are executed before the batch, whatever the node
 * knows of them. Without it, the node's pending state must contain them; otherwise fills that depend on them wait until they are mined.
 */
export async function openSimulator(options: SimulationOptions): Promise<BatchSimulator> {
  const simulator = (await canSimulate(options.rpc)) ? toPredecessorSimulator(options) : toPendingSimulator(options);
  return {
    ...simulator,
    simulateMined: (batch, hash) => simulateAt(options, batch, { hash }),
  };
}

type FollowingSimulator = Omit<BatchSimulator, 'simulateMined'>;

async function canSimulate(rpc: Rpc): Promise<boolean> {
  try {
    await rpc.request('eth_simulateV1', [{ blockStateCalls: [{ calls: [] }] }, 'latest']);
    return true;
  } catch (error) {
    // Other errors reject the empty request and come from a node that knows the method.
    if (error instanceof RpcError)
      return error.code !== METHOD_NOT_FOUND && !/not (exist|support|found|available)/i.test(error.message);
    throw error;
  }
}

function toPendingSimulator(options: SimulationOptions): FollowingSimulator {
  return { needsPredecessorsAtNode: true, simulate: (batch) => simulateAt(options, batch, 'pending') };
}

async function simulateAt(
  { contracts, settler, gas, gasPrice }: SimulationOptions,
  batch: SettleBatchArguments,
  block: ReadBlock,
): Promise<Simulation> {
  const options = { from: settler, gas, gasPrice: await gasPrice(), block };
  try {
    return { kind: 'codes', codes: fromHex(await contracts.settlement.simulate('settleBatch', batch, options)) };
  } catch (error) {
    if (error instanceof ContractReverted) return { kind: 'refused', reason: error.revert.message };
    throw error;
  }
}

function toPredecessorSimulator(options: SimulationOptions): FollowingSimulator {
  const { rpc, settler } = options;
  const usedNonces = async () => Number(await rpc.request('eth_getTransactionCount', [settler, 'latest']));
  return {
    needsPredecessorsAtNode: false,
    /** The nonce before and after must be equal: otherwise a predecessor may have been executed twice, or not at all. */
    simulate: async (batch, predecessors) => {
      let used = await usedNonces();
      for (let round = 0; round < MAX_ROUNDS; round++) {
        const before = predecessors().filter(({ nonce }) => nonce >= used);
        const answer = await simulateAll(options, [...before.map((each) => each.batch), batch]);
        const now = await usedNonces();
        if (now === used) return toSimulation(answer);
        used = now;
      }
      throw new Error('the chain moved on during every simulation');
    },
  };
}

/** Simulates each batch in a block of its own, since together they may need more gas than a block has. */
async function simulateAll(
  { rpc, contracts, settler, gas, gasPrice }: SimulationOptions,
  batches: readonly SettleBatchArguments[],
): Promise<SimulatedCall> {
  const terms = { from: settler, gas: numberToHex(gas), gasPrice: numberToHex(await gasPrice()) };
  const blockStateCalls = batches.map((batch) => ({
    calls: [{ ...terms, ...contracts.settlement.call('settleBatch', batch) }],
  }));
  // The node returns blocks of calls; a missing one is detected below.
  const blocks = (await rpc.request('eth_simulateV1', [{ blockStateCalls }, 'latest'])) as SimulatedBlock[];
  const answer = blocks.at(-1)?.calls.at(-1);
  if (answer === undefined || blocks.length < batches.length) throw new Error('eth_simulateV1 left a call unanswered');
  return answer;
}

interface SimulatedBlock {
  readonly calls: readonly SimulatedCall[];
}

interface SimulatedCall {
  readonly status: Hex;
  readonly returnData: Hex;
  readonly gasUsed?: Hex;
  readonly error?: { readonly message: string };
}

function toSimulation({ status, returnData, gasUsed, error }: SimulatedCall): Simulation {
  if (status !== '0x1')
    return { kind: 'refused', reason: error?.message ?? 'the settlement contract refused the batch' };
  const codes = decodeFunctionResult({ abi: presageSettlementAbi, functionName: 'settleBatch', data: returnData });
  return { kind: 'codes', codes: fromHex(codes), ...(gasUsed && { gasUsed: BigInt(gasUsed) }) };
}
