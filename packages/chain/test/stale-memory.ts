// What a lagging or forked replica would still believe: old answers, kept to be returned again.
import type { ReadFault } from './fault-plan.ts';

interface Reading {
  readonly method: string;
  readonly params: readonly unknown[];
  readonly truth: unknown;
}

type Fields = Record<string, unknown>;

/** How many answers ago a stale answer comes from. */
const LAG = 6;

export class StaleMemory {
  readonly #answers = new Map<string, unknown[]>();

  remember(method: string, params: readonly unknown[], truth: unknown): void {
    const key = keyOf(method, params);
    const answers = this.#answers.get(key) ?? [];
    if (JSON.stringify(answers.at(-1)) !== JSON.stringify(truth)) answers.push(truth);
    this.#answers.set(key, answers.slice(-LAG));
  }

  distort(fault: ReadFault, reading: Reading): unknown {
    return fault === 'wrong-fork' ? this.#wrongFork(reading) : this.#stale(reading);
  }

  /** A replica that has not caught up: the oldest answer it gave, or nothing at all. */
  #stale({ method, params, truth }: Reading): unknown {
    if (method === 'eth_getTransactionReceipt' || method === 'eth_getTransactionByHash') return null;
    return this.#answers.get(keyOf(method, params))?.[0] ?? truth;
  }

  /** A receipt or header of a block that is not, or no longer, on the chain. */
  #wrongFork({ method, params, truth }: Reading): unknown {
    const known = this.#answers.get(keyOf(method, params)) ?? [];
    if (method === 'eth_getTransactionReceipt')
      return known.findLast((old) => isOtherBlock(old, truth)) ?? invent(truth);
    if (method === 'eth_getBlockByNumber') return known.findLast((old) => isOtherBlock(old, truth)) ?? truth;
    return truth;
  }
}

function isOtherBlock(old: unknown, truth: unknown): boolean {
  if (typeof old !== 'object' || old === null) return false;
  const hashOf = (value: unknown) => (value as Fields | null)?.blockHash ?? (value as Fields | null)?.hash;
  return hashOf(old) !== hashOf(truth);
}

function invent(receipt: unknown): unknown {
  if (typeof receipt !== 'object' || receipt === null) return receipt;
  return { ...receipt, blockHash: `0x${'f'.repeat(63)}1` };
}

function keyOf(method: string, params: readonly unknown[]): string {
  return `${method}:${JSON.stringify(params)}`;
}
