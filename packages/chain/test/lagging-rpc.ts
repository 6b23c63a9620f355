// A real node as one that has not seen the newest blocks: behind a load balancer any answer may come from such a one.
import { isObject } from '@presage/protocol';
import { toQuantity } from '../src/quantity.ts';
import { type Rpc, type RpcCall, RpcError, type RpcOutcome, RpcUnavailable } from '../src/rpc.ts';

/** The place of the block among the parameters. */
const BLOCK_AT: Readonly<Record<string, number>> = {
  eth_call: 1,
  eth_estimateGas: 1,
  eth_getBalance: 1,
  eth_getBlockByNumber: 0,
  eth_getCode: 1,
  eth_getTransactionCount: 1,
};
const BY_TRANSACTION = new Set(['eth_getTransactionReceipt', 'eth_getTransactionByHash']);

export class LaggingRpc implements Rpc {
  readonly #inner: Rpc;
  /** The newest block that the node has; undefined while it has all. */
  newest: number | undefined;
  /** Whether another node answers what is asked of a block by its hash. */
  answersByHash = false;

  constructor(inner: Rpc) {
    this.#inner = inner;
  }

  async request(method: string, params: readonly unknown[] = []): Promise<unknown> {
    const { newest } = this;
    if (newest === undefined) return this.#inner.request(method, params);
    if (method === 'eth_blockNumber') return toQuantity(newest);
    if (BY_TRANSACTION.has(method)) return this.#findTransaction(method, params, newest);
    const at = BLOCK_AT[method];
    if (at === undefined) return this.#inner.request(method, params);
    return this.#readAt({ method, params, at, newest });
  }

  batch(calls: readonly RpcCall[]): Promise<RpcOutcome[]> {
    return Promise.all(calls.map((call) => this.#outcome(call)));
  }

  async #outcome({ method, params }: RpcCall): Promise<RpcOutcome> {
    try {
      return { ok: true, result: await this.request(method, params) };
    } catch (error) {
      if (error instanceof RpcError || error instanceof RpcUnavailable) return { ok: false, error };
      throw error;
    }
  }

  async #findTransaction(method: string, params: readonly unknown[], newest: number): Promise<unknown> {
    const found = await this.#inner.request(method, params);
    return isObject(found) && Number(found.blockNumber) > newest ? null : found;
  }

  async #readAt(call: { method: string; params: readonly unknown[]; at: number; newest: number }): Promise<unknown> {
    const { method, params, at, newest } = call;
    const block = params[at] ?? 'latest';
    if (block === 'latest' || block === 'pending') {
      const asked = params.length > at ? params.with(at, toQuantity(newest)) : [...params, toQuantity(newest)];
      return this.#inner.request(method, asked);
    }
    if ((await this.#numberOf(block)) <= newest) return this.#inner.request(method, params);
    if (method === 'eth_getBlockByNumber') return null;
    throw new RpcError(-32000, 'header not found');
  }

  async #numberOf(block: unknown): Promise<number> {
    if (!isObject(block)) return Number(block);
    if (this.answersByHash) return Number.NEGATIVE_INFINITY;
    const header = await this.#inner.request('eth_getBlockByHash', [block.blockHash, false]);
    return isObject(header) ? Number(header.number) : Number.POSITIVE_INFINITY;
  }
}
