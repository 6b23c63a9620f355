// Answers that cannot change before the next block: clients that poll ask the same again and again, and the node is asked once.

/** What the newest block alone decides. */
const OF_HEAD = new Set([
  'eth_blockNumber',
  'eth_chainId',
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
/** More than clients ask for between two blocks; beyond it everything is forgotten. */
const MOST_ANSWERS = 256;

/** Where the chain is. */
export interface ChainPoint {
  readonly head: { readonly number: number; readonly hash: string };
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
    const key = OF_HEAD.has(method) ? `${method} ${JSON.stringify(params)}` : undefined;
    // What waits in the pool changes between blocks.
    if (key === undefined || key.includes('"pending"')) return ask();
    this.#moveTo(point);
    const answers = isOldBlock(point, method, params) ? this.#ofBranch : this.#ofHead;
    if (answers.has(key)) return answers.get(key);
    const answer = await ask();
    if (answers.size >= MOST_ANSWERS) answers.clear();
    answers.set(key, answer);
    return answer;
  }

  #moveTo({ head, branch }: ChainPoint): void {
    if (head.hash !== this.#head) this.#ofHead.clear();
    if (branch !== this.#branch) this.#ofBranch.clear();
    this.#head = head.hash;
    this.#branch = branch;
  }
}

function isOldBlock({ head }: ChainPoint, method: string, [block]: readonly unknown[]): boolean {
  return method === 'eth_getBlockByNumber' && Number(block) <= head.number;
}
