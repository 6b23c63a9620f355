// Shortens a failing seed as far as possible: fewer actions, then fewer faults, as long as it still fails.
import { runSeeds } from './run-seeds.ts';

export interface ShrunkSeed {
  readonly seed: number;
  readonly actions: number;
  readonly faults: number;
  /** Share of a life, if shortened. */
  readonly lifeShare?: number | undefined;
  /** Whether it is a life of several nodes. */
  readonly isCluster?: boolean | undefined;
  /** Whether there are events, if that differs from the seed's own draw. */
  readonly events?: boolean | undefined;
}

const MOST = { actions: 100, faults: 9 };

export async function shrinkSeed(
  program: string,
  life: Pick<ShrunkSeed, 'seed' | 'lifeShare' | 'isCluster' | 'events'>,
): Promise<ShrunkSeed> {
  const fails = async (limits: { readonly actions: number; readonly faults: number }) => {
    const [result] = await runSeeds({ program, order: { seeds: [{ ...life, ...limits }] } });
    return result === undefined || result.violations.length > 0;
  };
  const least = async (most: number, failsWith: (count: number) => Promise<boolean>) => {
    let [low, high] = [0, most];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (await failsWith(middle)) high = middle;
      else low = middle + 1;
    }
    return low;
  };
  const faults = await least(MOST.faults, (count) => fails({ actions: MOST.actions, faults: count }));
  const actions = await least(MOST.actions, (count) => fails({ actions: count, faults }));
  const { seed, lifeShare, isCluster, events } = life;
  return {
    seed,
    actions,
    faults,
    ...(lifeShare !== undefined && { lifeShare }),
    ...(isCluster && { isCluster }),
    ...(events !== undefined && { events }),
  };
}
