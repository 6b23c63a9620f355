// What is asked of the node once, before the first batch: how it simulates, and how much gas a block has.
import type { Contracts, Rpc } from '@presage/chain';
import type { Hex } from '@presage/protocol';
import type { PipelineLimits } from './batch-plan.ts';
import { type BatchSimulator, openSimulator } from './batch-simulation.ts';

export interface Pipeline {
  readonly simulator: BatchSimulator;
  readonly limits: PipelineLimits;
}

export interface OpenPipelineOptions {
  readonly rpc: Rpc;
  readonly contracts: Contracts;
  readonly settler: Hex;
  readonly maxBatchesInFlight: number;
}

/** The block being made, the next one, and one more: by the time a batch is known to be mined, two may have passed. */
const BLOCKS_AHEAD = 3n;

/** Rejects when the chain cannot be asked. */
export async function openPipeline(options: OpenPipelineOptions): Promise<Pipeline> {
  const simulator = await openSimulator(options);
  const block = (await options.rpc.request('eth_getBlockByNumber', ['latest', false])) as { gasLimit: Hex };
  const maxGas = BigInt(block.gasLimit) * BLOCKS_AHEAD;
  return { simulator, limits: { maxBatches: options.maxBatchesInFlight, maxGas } };
}
