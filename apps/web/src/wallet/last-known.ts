// Stores the last chain data of a wallet in this browser, to be shown with its age while the chain is unreachable.
import { isChainAway } from '../state/failure.ts';
import { keep, recall } from '../state/kept.ts';

export interface Known<T> {
  readonly value: T;
  /** Time of the value, Unix seconds by this computer's clock; set only for a stored value. */
  readonly since?: number;
}

/** Reads, and stores the answer under `key`; while the chain is unreachable, returns the stored answer. */
export async function readOrRecall<T>(key: string, read: () => Promise<T>): Promise<Known<T>> {
  const name = `presage.known ${key}`;
  try {
    const value = await read();
    keep(name, { value, since: Math.floor(Date.now() / 1_000) });
    return { value };
  } catch (error) {
    // Stored above under the same name.
    const kept = isChainAway(error) ? (recall(name) as Known<T> | undefined) : undefined;
    if (kept === undefined) throw error;
    return kept;
  }
}

/** Time of the oldest stored value; undefined if all values are fresh. */
export function oldestOf(all: readonly Known<unknown>[]): number | undefined {
  const times = all.flatMap(({ since }) => since ?? []);
  return times.length === 0 ? undefined : Math.min(...times);
}
