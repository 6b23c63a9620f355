// The verifier's reads of a node over plain JSON-RPC: logs in pieces that the node can serve, and balances.
import { backoffMs, limitTime, messageOf, readBoundedText, sleep } from '@presage/runtime';

export interface ChainLog {
  readonly address: string;
  readonly transactionHash: `0x${string}`;
  readonly topics: readonly `0x${string}`[];
  readonly data: string;
  readonly blockNumber: string;
}

/** A range of blocks, both ends included. */
export interface BlockSpan {
  readonly fromBlock: number;
  readonly toBlock: number;
}

interface LogQuery extends BlockSpan {
  readonly addresses: readonly string[];
  /** Alternative values of the first topic, which names the event. */
  readonly topics: readonly string[];
}

const BLOCKS_AT_ONCE = 10_000;
/** After so many successful pieces the piece size is doubled. */
const PIECES_TO_GROW = 8;
/** More failures in a row than it takes to shrink to a single block, each size tried twice. */
const MOST_FAILURES = 32;
const PAUSES = { firstMs: 50, longestMs: 250 };
const ATTEMPTS = 4;
const TIMEOUT_MS = 30_000;

/** The node gives no usable answer: the verification found out nothing about the operator. */
export class NodeUnusable extends Error {
  override readonly name = 'NodeUnusable';
}

interface ChainReadsOptions {
  readonly fetch?: typeof fetch | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Reports how many blocks of a search are done. */
  readonly onBlocks?: (done: number, total: number) => void;
}

export class ChainReads {
  readonly #url: string;
  readonly #fetch: typeof fetch;
  readonly #signal: AbortSignal | undefined;
  readonly #onBlocks: ChainReadsOptions['onBlocks'];
  #id = 0;

  constructor(url: string, { fetch: fetchWith, signal, onBlocks }: ChainReadsOptions) {
    this.#url = url;
    this.#fetch = fetchWith ?? ((...args) => globalThis.fetch(...args));
    this.#signal = signal;
    this.#onBlocks = onBlocks;
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

  /** The block in which a contract was created; 0 if the node has no old states. */
  async madeIn(address: string, toBlock: number): Promise<number> {
    const hasCode = async (block: number) =>
      (await this.#attempt('eth_getCode', [address, toQuantity(block)])) !== '0x';
    let [before, made] = [-1, toBlock];
    try {
      if (!(await hasCode(toBlock))) return 0;
      while (made - before > 1) {
        const middle = Math.floor((before + made) / 2);
        if (await hasCode(middle)) made = middle;
        else before = middle;
      }
      return made;
    } catch {
      this.#signal?.throwIfAborted();
      return 0;
    }
  }

  /** Logs of a range. A failed piece is retried after a pause, then halved, since nodes do not tell which size is too large. */
  async *logs({ addresses, topics, fromBlock, toBlock }: LogQuery): AsyncGenerator<ChainLog> {
    let [size, failures, pieces] = [BLOCKS_AT_ONCE, 0, 0];
    for (let from = fromBlock; from <= toBlock; ) {
      const to = Math.min(toBlock, from + size - 1);
      const filter = { address: addresses, topics: [topics], fromBlock: toQuantity(from), toBlock: toQuantity(to) };
      try {
        yield* await this.#attempt<ChainLog[]>('eth_getLogs', [filter]);
        this.#onBlocks?.(to - fromBlock + 1, toBlock - fromBlock + 1);
        from = to + 1;
        failures = 0;
        if (++pieces % PIECES_TO_GROW === 0) size = Math.min(BLOCKS_AT_ONCE, 2 * size);
      } catch (error) {
        this.#signal?.throwIfAborted();
        if (++failures === MOST_FAILURES) throw this.#unusable(error);
        if (failures % 2 === 0) size = Math.ceil(size / 2);
        pieces = 0;
        await sleep(backoffMs(PAUSES, failures - 1), this.#signal);
      }
    }
  }

  async #call<T>(method: string, params: readonly unknown[]): Promise<T> {
    for (let left = ATTEMPTS; ; left--) {
      try {
        return await this.#attempt(method, params);
      } catch (error) {
        this.#signal?.throwIfAborted();
        if (left <= 1) throw this.#unusable(error);
        await sleep(500, this.#signal);
      }
    }
  }

  /** Shows only the host: the path of a node's URL often contains a key. */
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
      // A JSON-RPC response; its specification determines the type of each method's result.
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
