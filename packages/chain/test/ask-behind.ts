// What a node answers that has not seen the newest blocks: behind a load balancer any answer may come from such a one.
import { isObject } from '@presage/protocol';
import { toQuantity } from '../src/quantity.ts';

export interface LaggingNode {
  /** Asks a node that has every block. */
  readonly ask: (method: string, params: readonly unknown[]) => Promise<unknown>;
  /** The newest block that the node has. */
  readonly newest: number;
  /** The error that the node answers with. */
  readonly refuse: (message: string) => Error;
}

/** The place of the block among the parameters. */
const BLOCK_AT: Readonly<Record<string, number>> = {
  eth_call: 1,
  eth_estimateGas: 1,
  eth_feeHistory: 1,
  eth_getBalance: 1,
  eth_getBlockByNumber: 0,
  eth_getCode: 1,
  eth_getTransactionCount: 1,
};
const BY_HASH: Readonly<Record<string, string>> = {
  eth_getBlockByHash: 'number',
  eth_getTransactionByHash: 'blockNumber',
  eth_getTransactionReceipt: 'blockNumber',
};

export async function askBehind(node: LaggingNode, method: string, params: readonly unknown[]): Promise<unknown> {
  const { ask, newest } = node;
  if (method === 'eth_blockNumber') return toQuantity(newest);
  if (method === 'eth_getLogs') return readLogs(node, params);
  const heightField = BY_HASH[method];
  if (heightField !== undefined) {
    const found = await ask(method, params);
    return isObject(found) && Number(found[heightField]) > newest ? null : found;
  }
  const at = BLOCK_AT[method];
  if (at === undefined) return ask(method, params);
  const block = params[at] ?? 'latest';
  if (block === 'latest' || block === 'pending')
    return ask(method, params.length > at ? params.with(at, toQuantity(newest)) : [...params, toQuantity(newest)]);
  const height = isObject(block) ? await heightOf(node, block.blockHash) : Number(block);
  if (height <= newest) return ask(method, params);
  if (method === 'eth_getBlockByNumber') return null;
  throw node.refuse('header not found');
}

/** What is missing of a range is left out, as nodes do. */
async function readLogs(node: LaggingNode, params: readonly unknown[]): Promise<unknown> {
  const { ask, newest, refuse } = node;
  const [filter] = params as [{ fromBlock?: string; toBlock?: string; blockHash?: string }];
  if (filter.blockHash !== undefined) {
    if ((await heightOf(node, filter.blockHash)) > newest) throw refuse('unknown block');
    return ask('eth_getLogs', params);
  }
  if (Number(filter.fromBlock ?? newest) > newest) return [];
  const isWithin = Number(filter.toBlock) <= newest;
  return ask('eth_getLogs', [isWithin ? filter : { ...filter, toBlock: toQuantity(newest) }]);
}

/** Infinite for a block that no node has. */
async function heightOf({ ask }: LaggingNode, hash: unknown): Promise<number> {
  const header = await ask('eth_getBlockByHash', [hash, false]);
  return isObject(header) ? Number(header.number) : Number.POSITIVE_INFINITY;
}
