// What the verifier asks of a node, over plain JSON-RPC: logs in pieces that the node can give, and balances.
import { limitTime, messageOf, readBoundedText, sleep } from '@presage/runtime';

export interface ChainLog {
  readonly transactionHash: `0x${string}`;
  readonly topics: readonly `0x${string}`[];
  readonly data: string;
  readonly blockNumber: string;
}

/** Both blocks included. */
export interface BlockSpan {
  readonly fromBlock: number;
  readonly toBlock: number;
}

interface LogQuery extends BlockSpan {
  readonly address: string;
  readonly topic: string;
}

const BLOCKS_AT_ONCE = 10_000;
const ATTEMPTS = 4;
const TIMEOUT_MS = 30_000;

/** The node gives no answer, or one that no node would give: nothing was found out about the operator. */
export class NodeUnusable extends Error {
  override readonly name = 'NodeUnusable';
}

interface ChainReadsOptions {
  readonly fetch?: typeof fetch | undefined;
  readonly signal?: AbortSignal | undefined;
}

export class ChainReads {
  readonly #url: string;
  readonly #fetch: typeof fetch;
  readonly #signal: AbortSignal | undefined;
  #id = 0;

  constructor(url: string, { fetch: fetchWith, signal }: ChainReadsOptions) {
    this.#url = url;
    this.#fetch = fetchWith ?? ((...args) => globalThis.fetch(...args));
    this.#signal = signal;
  }

  async chainId(): Promise<number> {
    return Number(await this.#call('eth_chainId', []));
  }

  async blockNumber(): Promise<number> {
    return Number(await this.#call('eth_blockNumber', []));
  }

  async isContract(address: string): Promise<boolean> {
    return (await this.#call('eth_getCode', [address, 'latest'])) !== '0x';
  }

  /** Balance of an ERC-20 token at a block. */
  async balanceOf(token: string, owner: string, block: number): Promise<bigint> {
    const data = `0x70a08231${owner.slice(2).toLowerCase().padStart(64, '0')}`;
    return BigInt(await this.#call<string>('eth_call', [{ to: token, data }, toQuantity(block)]));
  }

  /** A node that finds a piece too large is asked for half of it. */
  async *logs({ address, topic, fromBlock, toBlock }: LogQuery): AsyncGenerator<ChainLog> {
    let size = BLOCKS_AT_ONCE;
    for (let from = fromBlock; from <= toBlock; ) {
      const to = Math.min(toBlock, from + size - 1);
      const filter = { address, topics: [topic], fromBlock: toQuantity(from), toBlock: toQuantity(to) };
      try {
        yield* await this.#call<ChainLog[]>('eth_getLogs', [filter]);
        from = to + 1;
      } catch (error) {
        if (size === 1 || this.#signal?.aborted) throw error;
        size = Math.ceil(size / 2);
      }
    }
  }

  async #call<T>(method: string, params: readonly unknown[]): Promise<T> {
    for (let left = ATTEMPTS; ; left--) {
      try {
        return await this.#attempt(method, params);
      } catch (error) {
        this.#signal?.throwIfAborted();
        if (left <= 1 || method === 'eth_getLogs') throw this.#unusable(error);
        await sleep(500, this.#signal);
      }
    }
  }

  /** Only the host: the path of a node's address often holds a key. */
  #unusable(cause: unknown): NodeUnusable {
    const host = URL.canParse(this.#url) ? new URL(this.#url).host : this.#url;
    return new NodeUnusable(`the node at ${host} gives no usable answer: ${messageOf(cause)}`, { cause });
  }

  async #attempt<T>(method: string, params: readonly unknown[]): Promise<T> {
    const body = JSON.stringify({ jsonrpc: '2.0', id: ++this.#id, method, params });
    const headers = { 'content-type': 'application/json' };
    const limit = limitTime(TIMEOUT_MS, this.#signal);
    try {
      const response = await this.#fetch(this.#url, { method: 'POST', headers, body, signal: limit.signal });
      // JSON-RPC, whose specification gives each method's result its type.
      const answer = JSON.parse(await readBoundedText(response)) as { result: T; error?: { message?: string } };
      if (answer.error !== undefined) throw new Error(`${method}: ${answer.error.message ?? 'refused by the node'}`);
      return answer.result;
    } finally {
      limit.release();
    }
  }
}

function toQuantity(block: number): string {
  return `0x${block.toString(16)}`;
}
