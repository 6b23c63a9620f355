// What is asked of the node once, before the first batch: how it simulates, and how much gas a transaction and a block have.
import type { Contracts, Rpc } from '@presage/chain';
import { type Hex, LIMITS } from '@presage/protocol';
import { BatchGas, toGasCap } from './batch-gas.ts';
import type { PipelineLimits } from './batch-plan.ts';
import { type BatchSimulator, openSimulator } from './batch-simulation.ts';

export interface Pipeline {
  readonly simulator: BatchSimulator;
  readonly limits: PipelineLimits;
  readonly gas: BatchGas;
}

export interface OpenPipelineOptions {
  readonly rpc: Rpc;
  readonly contracts: Contracts;
  readonly settler: Hex;
  readonly maxBatchesInFlight: number;
  readonly chainId: number;
  /** The chain's cap on the gas of a transaction, where the operator knows better. */
  readonly transactionGasCap: number | undefined;
}

/** The block being made, the next one, and one more: by the time a batch is known to be mined, two may have passed. */
const BLOCKS_AHEAD = 3n;

/** Rejects when the chain cannot be asked. */
export async function openPipeline(options: OpenPipelineOptions): Promise<Pipeline> {
  const { rpc, contracts, chainId, transactionGasCap: setting } = options;
  const block = (await rpc.request('eth_getBlockByNumber', ['latest', false])) as { gasLimit: Hex };
  const blockGasLimit = BigInt(block.gasLimit);
  const cap = toGasCap({ chainId, setting, blockGasLimit });
  const minFillGas = await contracts.settlement.read('MIN_FILL_GAS', []);
  return {
    simulator: await openSimulator({ ...options, gas: cap }),
    limits: { maxBatches: options.maxBatchesInFlight, maxGas: blockGasLimit * BLOCKS_AHEAD },
    gas: new BatchGas({ cap, minFillGas, mostFills: LIMITS.settlementPairsPerBatch }),
  };
}
