// Seeds that once found a bug, shortened: they are run for ever.
import { runSeeds } from './run-seeds.ts';
import type { ShrunkSeed } from './shrink.ts';

export interface KeptSeed extends ShrunkSeed {
  /** What it found. */
  readonly found: string;
}

/** One sentence for each violation. */
export async function runKeptSeeds(program: string, kept: readonly KeptSeed[]): Promise<string[]> {
  const seeds = kept.map(({ seed, actions, faults }) => ({ seed, actions, faults }));
  const results = await runSeeds({ program, order: { seeds } });
  return kept.flatMap(({ seed, found }) => {
    const result = results.find((each) => each.seed === seed);
    return (result?.violations ?? ['no result']).map((each) => `seed ${seed} (${found}): ${each}`);
  });
}
