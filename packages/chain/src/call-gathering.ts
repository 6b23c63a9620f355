// Gathers the questions of one turn of the loop, so that they travel together; the same question of several askers travels once.
import type { RpcCall, RpcOutcome } from './rpc.ts';

/**
 * What a node answers at once, from what it has. What it has to execute or to search for goes by itself: everything in a batch
 * waits for the slowest.
 */
const QUICK = new Set([
  'eth_blockNumber',
  'eth_chainId',
  'eth_feeHistory',
  'eth_gasPrice',
  'eth_getBalance',
  'eth_getBlockByHash',
  'eth_getBlockByNumber',
  'eth_getCode',
  'eth_getTransactionByHash',
  'eth_getTransactionCount',
  'eth_getTransactionReceipt',
]);

export function isQuick({ method }: RpcCall): boolean {
  return QUICK.has(method);
}

interface Gathered {
  readonly call: RpcCall;
  readonly answered: ((outcome: RpcOutcome) => void)[];
}

export class CallGathering {
  readonly #send: (calls: readonly RpcCall[]) => Promise<RpcOutcome[]>;
  #gathered = new Map<string, Gathered>();

  /** `send` never rejects, and answers every call in its place. */
  constructor(send: (calls: readonly RpcCall[]) => Promise<RpcOutcome[]>) {
    this.#send = send;
  }

  /** Asked after this call, never before: nobody is answered with what the node said earlier. */
  ask(call: RpcCall): Promise<RpcOutcome> {
    return new Promise((resolve) => {
      if (this.#gathered.size === 0) setImmediate(() => this.#sendAll());
      const key = `${call.method} ${JSON.stringify(call.params ?? [])}`;
      const same = this.#gathered.get(key);
      if (same !== undefined) same.answered.push(resolve);
      else this.#gathered.set(key, { call, answered: [resolve] });
    });
  }

  async #sendAll(): Promise<void> {
    const gathered = [...this.#gathered.values()];
    this.#gathered = new Map();
    const outcomes = await this.#send(gathered.map(({ call }) => call));
    gathered.forEach(({ answered }, index) => {
      for (const resolve of answered) resolve(outcomes[index]!);
    });
  }
}
