// Gas price of the settler's next transaction, as its sender would offer it.
import { openFees, toWei } from '@presage/chain';
import { asHex, type Hex, isObject } from '@presage/protocol';
import type { ChainContext } from '../chains/chain-context.ts';

/**
 * Returns a function that reads the price. Never more than the settler could pay for `gas`, since the node would refuse to simulate that,
 * and never more than its sender would offer, whatever base fee a node reports: a wallet that checks the price would be blamed for lying.
 */
export function followGasPrice({ chain, rpc }: ChainContext, settler: Hex, gas: bigint): () => Promise<bigint> {
  const fees = openFees(rpc, chain.minTipGwei);
  return async () => {
    const [block, balance] = await Promise.all([
      rpc.request('eth_getBlockByNumber', ['latest', false]),
      rpc.request('eth_getBalance', [settler, 'latest']),
    ]);
    const baseFeePerGas = BigInt(asHex((isObject(block) ? block.baseFeePerGas : undefined) ?? '0x0'));
    const { maxPriorityFeePerGas } = await fees({ attempt: 0, baseFeePerGas, previous: null });
    const price = baseFeePerGas + maxPriorityFeePerGas;
    const affordable = BigInt(asHex(balance)) / gas;
    return [price, affordable, toWei(chain.maxFeeGwei)].reduce((least, each) => (each < least ? each : least));
  };
}
