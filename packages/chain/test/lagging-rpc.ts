// A real node as one that has not seen the newest blocks.
import { isObject } from '@presage/protocol';
import { type Rpc, type RpcCall, RpcError, type RpcOutcome, RpcUnavailable } from '../src/rpc.ts';
import { askBehind } from './ask-behind.ts';

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
    const isOfHash = params.some((each) => isObject(each) && each.blockHash !== undefined);
    if (newest === undefined || (isOfHash && this.answersByHash)) return this.#inner.request(method, params);
    const ask: Rpc['request'] = (...call) => this.#inner.request(...call);
    return askBehind({ ask, newest, refuse: (message) => new RpcError(-32000, message) }, method, params);
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
}
