// Seeds that once found a bug, shortened: they are run for ever.
import { runSeeds } from './run-seeds.ts';
import type { ShrunkSeed } from './shrink.ts';

export interface KeptSeed extends ShrunkSeed {
  /** What it found. */
  readonly found: string;
}

/** One sentence for each violation. */
export async function runKeptSeeds(program: string, kept: readonly KeptSeed[]): Promise<string[]> {
  const broken: string[] = [];
  for (const { seed, actions, faults, found } of kept) {
    const [result] = await runSeeds({ program, order: { seeds: [seed], actions, faults } });
    broken.push(...(result?.violations ?? ['no result']).map((each) => `seed ${seed} (${found}): ${each}`));
  }
  return broken;
}
