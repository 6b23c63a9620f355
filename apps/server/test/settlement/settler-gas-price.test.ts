// The gas price that a simulation carries, asked of a node that lies about base fee and balance.
import { RpcError } from '@presage/chain';
import { describe, expect, it } from 'vitest';
import { followGasPrice } from '../../src/settlement/settler-gas-price.ts';
import { createContext } from '../chain-context.ts';

const GAS = 1_000_000n;
const GWEI = 10n ** 9n;
const SETTLER = `0x${'11'.repeat(20)}` as const;

/** A node that answers these quantities, and knows nothing of recent tips. */
function priceOn(node: { readonly baseFeePerGas: unknown; readonly balance: unknown }): Promise<bigint> {
  const request = async (method: string) => {
    if (method === 'eth_getBlockByNumber') return { baseFeePerGas: node.baseFeePerGas };
    if (method === 'eth_getBalance') return node.balance;
    throw new RpcError(-32601, `the method ${method} does not exist`);
  };
  const rpc = { request, batch: async () => [] };
  const context = createContext({ rpc, chain: { minTipGwei: 1, maxFeeGwei: 500 } });
  return followGasPrice(context, SETTLER, GAS)();
}

const toHex = (value: bigint) => `0x${value.toString(16)}`;
const RICH = toHex(10n ** 30n);

describe('the gas price of a simulation', () => {
  it('is what the next transaction would pay', async () => {
    expect(await priceOn({ baseFeePerGas: toHex(30n * GWEI), balance: RICH })).toBe(31n * GWEI);
  });

  it('is never above what the sender would offer, whatever base fee the node names', async () => {
    expect(await priceOn({ baseFeePerGas: toHex(10n ** 20n), balance: RICH })).toBe(500n * GWEI);
  });

  it('is never above what the settler can pay, as the node tells it', async () => {
    expect(await priceOn({ baseFeePerGas: toHex(30n * GWEI), balance: toHex(GAS * GWEI) })).toBe(GWEI);
    expect(await priceOn({ baseFeePerGas: toHex(30n * GWEI), balance: '0x0' })).toBe(0n);
  });

  it('is the tip on a chain without a base fee', async () => {
    expect(await priceOn({ baseFeePerGas: undefined, balance: RICH })).toBe(GWEI);
  });

  it.each([
    ['a balance that is no quantity', { baseFeePerGas: '0x1', balance: 'much' }],
    ['no balance', { baseFeePerGas: '0x1', balance: null }],
    ['a base fee that is no quantity', { baseFeePerGas: 'high', balance: RICH }],
  ])('is not made up from %s: the batch is tried again later', async (_what, node) => {
    await expect(priceOn(node)).rejects.toThrow();
  });
});
