// Gathers the calls of one turn of the event loop into one batch; identical calls of several callers are sent once.
import type { RpcCall, RpcOutcome } from './rpc.ts';

/**
 * Calls that a node answers at once from what it has. Calls that it has to execute or search for are sent alone,
 * because everything in a batch waits for the slowest.
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

  /** `send` never rejects and returns an outcome for every call, in order. */
  constructor(send: (calls: readonly RpcCall[]) => Promise<RpcOutcome[]>) {
    this.#send = send;
  }

  /** Sent after this call, never before: no caller gets an answer from before it asked. */
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
