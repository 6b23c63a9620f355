// Answers that cannot change before the next block: clients that poll ask the same again and again, and the node is asked once.
import type { BlockView, LedgerBlock } from '../ledger.ts';

/** What the newest block alone decides. */
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
/** More than clients ask for between two blocks, and a chain has no end: beyond it everything is forgotten. */
const MOST_ANSWERS = 256;

/** Where the chain is. */
export interface ChainPoint {
  readonly head: Pick<LedgerBlock, 'number' | 'hash'>;
  /** The head as clients are shown it, where it is known. */
  readonly headView?: BlockView | undefined;
  /** How many reorganisations there were. */
  readonly branch: number;
}

export class KnownAnswers {
  readonly #ofHead = new Map<string, unknown>();
  /** Old blocks by number: they stay until blocks are taken back. */
  readonly #ofBranch = new Map<string, unknown>();
  #head = '';
  #branch = 0;

  /** The answer as it came the last time, else as `ask` brings it; a refusal is asked for again. */
  async find(
    point: ChainPoint,
    [method, params]: readonly [string, readonly unknown[]],
    ask: () => Promise<unknown>,
  ): Promise<unknown> {
    const key = OF_HEAD.has(method) ? keyOf(method, params) : undefined;
    // What waits in the pool changes between blocks.
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
