// Cache of answers that cannot change before the next block: polling clients repeat their calls, and the node is asked once.
import type { BlockView, LedgerBlock } from '../ledger.ts';

/** Methods whose answer depends only on the newest block. */
const OF_HEAD = new Set([
  'eth_blockNumber',
  'eth_feeHistory',
  'eth_getBalance',
  'eth_getBlockByHash',
  'eth_getBlockByNumber',
  'eth_getCode',
  'eth_getLogs',
  'eth_getTransactionByHash',
  'eth_getTransactionCount',
  'eth_getTransactionReceipt',
]);
/** More than clients ask between two blocks. Beyond it the whole cache is dropped, because a chain has no end. */
const MOST_ANSWERS = 256;

/** The current position of the chain. */
export interface ChainPoint {
  readonly head: Pick<LedgerBlock, 'number' | 'hash'>;
  /** The head as clients see it, if known. */
  readonly headView?: BlockView | undefined;
  /** Number of reorganisations so far. */
  readonly branch: number;
}

export class KnownAnswers {
  readonly #ofHead = new Map<string, unknown>();
  /** Answers about old blocks by number: valid until blocks are removed. */
  readonly #ofBranch = new Map<string, unknown>();
  #head = '';
  #branch = 0;

  /** Returns the cached answer, or asks and caches it; a refusal is not cached. */
  async find(
    point: ChainPoint,
    [method, params]: readonly [string, readonly unknown[]],
    ask: () => Promise<unknown>,
  ): Promise<unknown> {
    const key = OF_HEAD.has(method) ? keyOf(method, params) : undefined;
    // Pending transactions change between blocks.
    if (key === undefined || key.includes('"pending"')) return ask();
    this.#moveTo(point);
    const answers = isOldBlock(point, method, params) ? this.#ofBranch : this.#ofHead;
    if (answers.has(key)) return answers.get(key);
    const answer = await ask();
    keep(answers, key, answer);
    return answer;
  }

  #moveTo({ head, headView, branch }: ChainPoint): void {
    if (branch !== this.#branch) this.#ofBranch.clear();
    this.#branch = branch;
    if (head.hash === this.#head) return;
    this.#head = head.hash;
    this.#ofHead.clear();
    keep(this.#ofHead, keyOf('eth_blockNumber', []), `0x${head.number.toString(16)}`);
    if (headView === undefined) return;
    keep(this.#ofHead, keyOf('eth_getBlockByNumber', ['latest', false]), headView);
    keep(this.#ofBranch, keyOf('eth_getBlockByNumber', [headView.number, false]), headView);
  }
}

function keep(answers: Map<string, unknown>, key: string, answer: unknown): void {
  if (answers.size >= MOST_ANSWERS) answers.clear();
  answers.set(key, answer);
}

function keyOf(method: string, params: readonly unknown[]): string {
  return `${method} ${JSON.stringify(params)}`;
}

function isOldBlock({ head }: ChainPoint, method: string, [block]: readonly unknown[]): boolean {
  return method === 'eth_getBlockByNumber' && Number(block) <= head.number;
}
