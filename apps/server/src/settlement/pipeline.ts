// Properties of the node and the contracts that are read once before the first batch: how to simulate, and the gas of a transaction and a block.
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

/** Blocks whose gas may be in flight: the one being made, the next, and one more, since two may pass before a batch is known to be mined. */
const BLOCKS_AHEAD = 3n;

/** Rejects if the chain does not answer. */
export async function openPipeline(context: ChainContext, settler: Hex): Promise<Pipeline> {
  const { chain, rpc, contracts } = context;
  const { chainId, transactionGasCap: setting, batchesInFlight: maxBatches } = chain;
  const block = await rpc.request('eth_getBlockByNumber', ['latest', false]);
  // If the node returns no gas limit, this throws, and the next batch tries again.
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
