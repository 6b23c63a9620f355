// What is asked of the node once, before the first batch: how it simulates, and how much gas a transaction and a block have.
import { type ContractsFeatures, readContractsFeatures } from '@presage/chain';
import { asHex, type Hex, isObject, LIMITS } from '@presage/protocol';
import type { ChainContext } from '../chains/chain-context.ts';
import { BatchGas, toGasCap } from './batch-gas.ts';
import type { PipelineLimits } from './batch-plan.ts';
import { type BatchSimulator, openSimulator } from './batch-simulation.ts';
import { followGasPrice } from './settler-gas-price.ts';

export interface Pipeline {
  readonly simulator: BatchSimulator;
  readonly limits: PipelineLimits;
  readonly gas: BatchGas;
  readonly features: ContractsFeatures;
}

/** The block being made, the next one, and one more: by the time a batch is known to be mined, two may have passed. */
const BLOCKS_AHEAD = 3n;

/** Rejects when the chain cannot be asked. */
export async function openPipeline(context: ChainContext, settler: Hex): Promise<Pipeline> {
  const { chain, rpc, contracts } = context;
  const { chainId, transactionGasCap: setting, batchesInFlight: maxBatches } = chain;
  const block = await rpc.request('eth_getBlockByNumber', ['latest', false]);
  // A node that answers no gas limit fails here, and is asked again with the next batch.
  const blockGasLimit = BigInt(asHex(isObject(block) ? block.gasLimit : undefined));
  const gas = toGasCap({ chainId, setting, blockGasLimit });
  const minFillGas = await contracts.settlement.read('MIN_FILL_GAS', []);
  const gasPrice = followGasPrice(context, settler, gas);
  return {
    simulator: await openSimulator({ rpc, contracts, settler, gas, gasPrice }),
    limits: { maxBatches, maxGas: blockGasLimit * BLOCKS_AHEAD },
    gas: new BatchGas({ cap: gas, minFillGas, mostFills: LIMITS.settlementPairsPerBatch }),
    features: await readContractsFeatures(contracts),
  };
}
