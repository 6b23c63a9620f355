// A chain of nothing but headers in memory, with branches: for counting what is asked, and for answers no real node gives.
import type { Hex } from '@presage/protocol';
import type { Rpc, RpcOutcome } from '../src/rpc.ts';

interface Header {
  readonly number: Hex;
  readonly hash: Hex;
  readonly parentHash: Hex;
  readonly timestamp: Hex;
  readonly logsBloom: Hex;
}

export class ChainOfHeaders implements Rpc {
  /** What was asked for: heights, and `latest`. */
  readonly asked: unknown[] = [];
  readonly #headers: Header[] = [];

  constructor(blocks: number) {
    this.mine(blocks, 0);
  }

  get head(): number {
    return this.#headers.length - 1;
  }

  hashAt(number: number): Hex {
    return this.#headers[number]!.hash;
  }

  mine(count: number, branch: number): void {
    for (let left = count; left > 0; left--) {
      const number = this.#headers.length;
      const hash = toWord(branch * 1_000_000 + number + 1);
      const parentHash = this.#headers.at(-1)?.hash ?? toWord(0);
      this.#headers.push({ number: `0x${number.toString(16)}`, hash, parentHash, timestamp: '0x1', logsBloom: '0x' });
    }
  }

  /** Another branch of the same height, and one block more. */
  reorganise(depth: number, branch: number): void {
    this.#headers.splice(-depth);
    this.mine(depth + 1, branch);
  }

  replace(number: number, changes: Partial<Header>): void {
    this.#headers[number] = { ...this.#headers[number]!, ...changes };
  }

  async request(method: string, [block]: readonly unknown[] = []): Promise<unknown> {
    if (method === 'eth_getLogs') return [];
    this.asked.push(block === 'latest' ? block : Number(block));
    return block === 'latest' ? this.#headers.at(-1) : (this.#headers[Number(block)] ?? null);
  }

  batch(calls: readonly { readonly method: string; readonly params?: readonly unknown[] }[]): Promise<RpcOutcome[]> {
    return Promise.all(
      calls.map(async ({ method, params }) => ({ ok: true, result: await this.request(method, params) }) as const),
    );
  }
}

function toWord(value: number): Hex {
  return `0x${value.toString(16).padStart(64, '0')}`;
}
