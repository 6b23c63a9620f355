// What the chain last said of a wallet, kept in this browser: shown with its age while the chain cannot be reached.
import { isChainAway } from '../state/failure.ts';

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
    const kept = isChainAway(error) ? recall<T>(name) : undefined;
    if (kept === undefined) throw error;
    return kept;
  }
}

function keep(name: string, known: Known<unknown>): void {
  try {
    localStorage.setItem(name, JSON.stringify(known));
  } catch {
    // A full browser: there is nothing to recall then.
  }
}

function recall<T>(name: string): Known<T> | undefined {
  try {
    // Written by `keep` under the same name.
    return (JSON.parse(localStorage.getItem(name) ?? 'null') as Known<T> | null) ?? undefined;
  } catch {
    return undefined;
  }
}

/** The oldest of several; undefined where all are new. */
export function oldestOf(all: readonly Known<unknown>[]): number | undefined {
  const times = all.flatMap(({ since }) => since ?? []);
  return times.length === 0 ? undefined : Math.min(...times);
}
