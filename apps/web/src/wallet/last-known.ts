// What the chain last said of a wallet, kept in this browser: shown with its age while the chain cannot be reached.
import { isChainAway } from '../state/failure.ts';
import { keep, recall } from '../state/kept.ts';

export interface Known<T> {
  readonly value: T;
  /** Unix seconds, by this computer's clock; set when the chain could not be asked and this is what it said then. */
  readonly since?: number;
}

/** Asks, and keeps the answer under `key`; while the chain is away, answers what was kept. */
export async function readOrRecall<T>(key: string, read: () => Promise<T>): Promise<Known<T>> {
  const name = `presage.known ${key}`;
  try {
    const value = await read();
    keep(name, { value, since: Math.floor(Date.now() / 1_000) });
    return { value };
  } catch (error) {
    // Kept under the same name.
    const kept = isChainAway(error) ? (recall(name) as Known<T> | undefined) : undefined;
    if (kept === undefined) throw error;
    return kept;
  }
}

/** The oldest of several; undefined where all are new. */
export function oldestOf(all: readonly Known<unknown>[]): number | undefined {
  const times = all.flatMap(({ since }) => since ?? []);
  return times.length === 0 ? undefined : Math.min(...times);
}
