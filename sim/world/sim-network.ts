// The network between the service and the chain's nodes: it delays, drops, cuts and reorders, and nodes may lag.
import { RpcError, rpcCode } from '@presage/devchain/in-process';
import { asHex, type Hex } from '@presage/protocol';
import type { SeededRandom } from '@presage/testkit';
import { keccak256, parseTransaction, recoverTransactionAddress, type TransactionSerialized } from 'viem';
import { askBehind, type LaggingNode } from '../../packages/chain/test/ask-behind.ts';
import type { SimProcess, VirtualTime } from '../kernel/virtual-time.ts';
import type { RpcMethod, SimChain } from './sim-chain.ts';

export interface NodeFaults {
  /** Connections are refused. */
  isDown: boolean;
  /** Requests get no answer; with `after` they are executed all the same. */
  silence: 'none' | 'before' | 'after';
  /** Additional delay in milliseconds. */
  extraMs: number;
  /** Number of blocks that the node lags. */
  lagBlocks: number;
  /** Probability that a request reaches the lagging node: a load balancer has others. */
  lagShare: number;
  /** Probability that the answer is the page of an overloaded proxy. */
  garbage: number;
  /** Probability that a request arrives twice; the second one is answered. */
  twice: number;
  /** Minimum tip in wei; transactions that offer less are refused. */
  leastTip: bigint;
}

export function noFaults(): NodeFaults {
  return { isDown: false, silence: 'none', extraMs: 0, lagBlocks: 0, lagShare: 1, garbage: 0, twice: 0, leastTip: 0n };
}

export interface SimNetworkOptions {
  readonly time: VirtualTime;
  readonly random: SeededRandom;
  readonly chain: SimChain;
  /** Called with each transaction as it leaves the machine. */
  readonly onSent: (raw: string) => void;
  /** Called for each request that reaches a node. */
  readonly onRequest: (node: string, method: string, params: readonly unknown[]) => void;
  /** Answers for hosts that are no nodes: the price feed. */
  readonly others?: (url: URL) => Response | undefined;
}

/** Finds a transaction in a JSON-RPC body. */
const SENT = /"eth_sendRawTransaction","params":\["(0x[0-9a-f]+)"\]/g;

export class SimNetwork {
  readonly #options: SimNetworkOptions;
  readonly nodes: Readonly<Record<string, NodeFaults>> = { 'node-a': noFaults(), 'node-b': noFaults() };

  constructor(options: SimNetworkOptions) {
    this.#options = options;
  }

  readonly fetch = (input: unknown, init: RequestInit = {}): Promise<Response> => {
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

  async #answer({ url, body }: SentRequest, faults: NodeFaults): Promise<Response> {
    const { chain, random, onRequest } = this.#options;
    const { lagBlocks, lagShare, leastTip } = faults;
    const isBehind = lagBlocks > 0 && (lagShare === 1 || random.fraction() < lagShare);
    const node = isBehind ? `${url.hostname}, behind,` : url.hostname;
    const call: RpcMethod = (method, params) => {
      onRequest(node, method, params);
      if (method === 'eth_sendRawTransaction') requireTip(asHex(params[0]), leastTip);
      return isBehind ? this.#askBehind(lagBlocks, method, params) : chain.call(method, params);
    };
    if (random.fraction() < faults.twice) await chain.answer(body, call);
    const text = await chain.answer(body, call);
    if (random.fraction() < faults.garbage) return toAnswer(502, '<html>bad gateway</html>');
    return toAnswer(200, text);
  }

  async #askBehind(lag: number, method: string, params: readonly unknown[]): Promise<unknown> {
    const { chain } = this.#options;
    const node = { ask: chain.call, newest: Math.max(0, chain.head.number - lag), refuse };
    if (method === 'eth_sendRawTransaction') return this.#sendBehind(node, asHex(params[0]));
    return askBehind(node, method, params);
  }

  /** A node that has not seen a nonce used accepts a transaction for it, which is never mined. */
  async #sendBehind(node: LaggingNode, raw: Hex): Promise<unknown> {
    const { time } = this.#options;
    try {
      return await node.ask('eth_sendRawTransaction', [raw]);
    } catch (error) {
      if (!(error instanceof RpcError) || !error.message.startsWith('nonce too low')) throw error;
      const serializedTransaction = raw as TransactionSerialized;
      const sender = await time.native(recoverTransactionAddress({ serializedTransaction }));
      const used = await askBehind(node, 'eth_getTransactionCount', [sender, 'latest']);
      if (parseTransaction(raw).nonce! < Number(used)) throw error;
      return keccak256(raw);
    }
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
  readonly resolve: (answer: Response) => void;
  readonly reject: (error: unknown) => void;
}

function refuse(message: string): RpcError {
  return new RpcError(rpcCode.server, message);
}

/** Refuses in geth's words. */
function requireTip(raw: Hex, leastTip: bigint): void {
  if (leastTip === 0n) return;
  const { maxPriorityFeePerGas = 0n } = parseTransaction(raw);
  if (maxPriorityFeePerGas >= leastTip) return;
  const detail = `gas tip cap ${maxPriorityFeePerGas}, minimum needed ${leastTip}`;
  throw refuse(`transaction underpriced: ${detail}`);
}

export function toAnswer(status: number, text: string): Response {
  return new Response(text, { status });
}
