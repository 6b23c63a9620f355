// The network between the service and the nodes of the chain: it delays, drops, cuts and reorders, and a node may lag behind.
import { RpcError, rpcCode } from '@presage/devchain/in-process';
import { asHex, type Hex } from '@presage/protocol';
import type { SeededRandom } from '@presage/testkit';
import { parseTransaction } from 'viem';
import type { SimProcess, VirtualTime } from '../kernel/virtual-time.ts';
import type { RpcMethod, SimChain } from './sim-chain.ts';

export interface NodeFaults {
  /** Connections are refused. */
  isDown: boolean;
  /** Requests get no answer; they are carried out all the same when this is what it says. */
  silence: 'none' | 'before' | 'after';
  /** Milliseconds on top of what is usual. */
  extraMs: number;
  /** So many blocks behind the chain. */
  lagBlocks: number;
  /** Probability that an answer is the page of an overloaded proxy. */
  garbage: number;
  /** Probability that a request arrives twice; the second is answered. */
  twice: number;
  /** Transactions that offer less are refused, in wei. */
  leastTip: bigint;
}

export function noFaults(): NodeFaults {
  return { isDown: false, silence: 'none', extraMs: 0, lagBlocks: 0, garbage: 0, twice: 0, leastTip: 0n };
}

interface Answer {
  readonly status: number;
  readonly ok: boolean;
  text(): Promise<string>;
}

export interface SimNetworkOptions {
  readonly time: VirtualTime;
  readonly random: SeededRandom;
  readonly chain: SimChain;
  /** Called with each transaction as it leaves the machine. */
  readonly onSent: (raw: string) => void;
  /** Called for each request that reaches a node. */
  readonly onRequest: (node: string, method: string, params: readonly unknown[]) => void;
  /** Other hosts than nodes: the price feed. */
  readonly others?: (url: URL) => Answer | undefined;
}

/** A transaction in a body of JSON-RPC. */
const SENT = /"eth_sendRawTransaction","params":\["(0x[0-9a-f]+)"\]/g;

export class SimNetwork {
  readonly #options: SimNetworkOptions;
  readonly nodes: Readonly<Record<string, NodeFaults>> = { 'node-a': noFaults(), 'node-b': noFaults() };

  constructor(options: SimNetworkOptions) {
    this.#options = options;
  }

  readonly fetch = (input: unknown, init: RequestInit = {}): Promise<Answer> => {
    const { time } = this.#options;
    const owner = time.current;
    const { signal } = init;
    return new Promise((resolve, reject) => {
      if (!owner.isAlive) return;
      const abort = () => reject(new DOMException('This operation was aborted', 'AbortError'));
      if (signal?.aborted) return abort();
      signal?.addEventListener('abort', abort, { once: true });
      const url = new URL(String(input));
      const body = String(init.body ?? '');
      for (const [, raw = ''] of body.matchAll(SENT)) this.#options.onSent(raw);
      const deliver = () => this.#deliver({ url, body, owner, resolve, reject });
      time.after(this.#latencyMs(url), deliver, time.world);
    });
  };

  #deliver(request: SentRequest): void {
    const { url, owner, resolve, reject } = request;
    const { time, others } = this.#options;
    const faults = this.nodes[url.hostname];
    const back = (run: () => void) => void time.after(this.#latencyMs(url), run, owner);
    if (faults === undefined) {
      const answer = others?.(url);
      back(() => (answer ? resolve(answer) : reject(new TypeError('fetch failed'))));
      return;
    }
    if (faults.isDown) back(() => reject(new TypeError('fetch failed')));
    if (faults.isDown || faults.silence === 'before') return;
    void this.#answer(request, faults).then((answer) => {
      if (faults.silence === 'after') return;
      back(() => resolve(answer));
    });
  }

  async #answer({ url, body }: SentRequest, faults: NodeFaults): Promise<Answer> {
    const { chain, random, onRequest } = this.#options;
    const call: RpcMethod = (method, params) => {
      onRequest(url.hostname, method, params);
      if (method === 'eth_sendRawTransaction') requireTip(asHex(params[0]), faults.leastTip);
      return faults.lagBlocks > 0 ? askBehind(chain, faults.lagBlocks, method, params) : chain.call(method, params);
    };
    if (random.fraction() < faults.twice) await chain.answer(body, call);
    const text = await chain.answer(body, call);
    if (random.fraction() < faults.garbage) return toAnswer(502, '<html>bad gateway</html>');
    return toAnswer(200, text);
  }

  #latencyMs(url: URL): number {
    const { random } = this.#options;
    const extra = this.nodes[url.hostname]?.extraMs ?? 0;
    const usual = random.chance(0.02) ? 400 : 12;
    return 1 + usual * random.fraction() + extra * random.fraction();
  }
}

interface SentRequest {
  readonly url: URL;
  readonly body: string;
  readonly owner: SimProcess;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

/** In geth's words. */
function requireTip(raw: Hex, leastTip: bigint): void {
  if (leastTip === 0n) return;
  const { maxPriorityFeePerGas = 0n } = parseTransaction(raw);
  if (maxPriorityFeePerGas >= leastTip) return;
  const detail = `gas tip cap ${maxPriorityFeePerGas}, minimum needed ${leastTip}`;
  throw new RpcError(rpcCode.server, `transaction underpriced: ${detail}`);
}

export function toAnswer(status: number, text: string): Answer {
  return { status, ok: status < 300, text: async () => text };
}

const TAGGED: Readonly<Record<string, number>> = {
  eth_getBalance: 1,
  eth_getTransactionCount: 1,
  eth_getCode: 1,
  eth_call: 1,
  eth_getBlockByNumber: 0,
};

/** What a node answers that has not seen the newest blocks: an older state, and nothing of what came after. */
async function askBehind(chain: SimChain, lag: number, method: string, params: readonly unknown[]): Promise<unknown> {
  const head = Math.max(0, chain.head.number - lag);
  const height = `0x${head.toString(16)}`;
  if (method === 'eth_blockNumber') return height;
  const at = TAGGED[method];
  if (at !== undefined) {
    const tag = params[at] ?? 'latest';
    const isNewest = tag === 'latest' || (typeof tag === 'string' && /^0x/.test(tag) && Number(tag) > head);
    if (method === 'eth_getBlockByNumber' && isNewest && tag !== 'latest') return null;
    if (isNewest) return chain.call(method, params.with(at, height));
    return chain.call(method, params);
  }
  if (method === 'eth_getTransactionReceipt') {
    // As the specification of the method has it, and the filter below as well.
    const receipt = (await chain.call(method, params)) as { blockNumber: string } | null;
    return receipt !== null && Number(receipt.blockNumber) > head ? null : receipt;
  }
  if (method === 'eth_getLogs') {
    const [filter] = params as [{ toBlock?: string; fromBlock?: string }];
    if (filter.fromBlock !== undefined && Number(filter.fromBlock) > head) return [];
    const toBlock = filter.toBlock === undefined || Number(filter.toBlock) > head ? height : filter.toBlock;
    return chain.call(method, [{ ...filter, toBlock }]);
  }
  return chain.call(method, params);
}
