// Shortened seeds that once found a bug and are run forever.
import type { SeedResult } from './run-seed.ts';
import type { OrderedSeed } from './seeds-process.ts';
import type { ShrunkSeed } from './shrink.ts';

export interface KeptSeed extends ShrunkSeed {
  /** The bug it found. */
  readonly found: string;
}

/** Kept seeds in the order in which they run. */
export function toOrderedSeeds(kept: readonly KeptSeed[]): OrderedSeed[] {
  return kept.map(({ found: _, ...seed }) => seed);
}

/** One sentence for each violation. */
export function judgeKeptSeeds(kept: readonly KeptSeed[], results: readonly SeedResult[]): string[] {
  return kept.flatMap(({ seed, found }) => {
    const result = results.find((each) => each.seed === seed);
    return (result?.violations ?? ['no result']).map((each) => `seed ${seed} (${found}): ${each}`);
  });
}
