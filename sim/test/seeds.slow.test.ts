// Runs the whole service from seeds: no fault may break a promise, and a seed always gives the same run.
import { readFile, rm } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { isLongRun, seedFromEnv } from '@presage/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundleSimulator } from '../bundle.ts';
import { judgeKeptSeeds, type KeptSeed, toOrderedSeeds } from '../kept-seeds.ts';
import type { SeedResult } from '../run-seed.ts';
import { runSeeds } from '../run-seeds.ts';

const COUNT = isLongRun ? 2_000 : 40;
/** A life of several nodes takes about three times as long. */
const CLUSTER_COUNT = isLongRun ? 1_000 : 8;
const FIRST = seedFromEnv(1);
/** In a shorter life the same happens, less often; repeat a failing seed with `npm run sim -- --seed N --life 0.3`. */
const SHORT_LIFE = 0.3;
/** Lives of several nodes take longer, so there are fewer of them. */
const LEAST_KINDS_OF_CLUSTER_FAULTS = 8;
/** There are two dozen kinds; some rare ones may be missing in forty lives. */
const LEAST_KINDS_OF_FAULTS = 18;
const lifeShare = isLongRun ? 1 : SHORT_LIFE;
/** A single process compiles its code once and takes less of a core than two; it can keep the memory of short lives. */
const spread = isLongRun ? { processes: availableParallelism() } : { seedsPerProcess: COUNT };
/** A life takes a second of a core, which other test files share; a slow machine takes ten. */
const LIMIT_MS = COUNT * 60_000;
const LIVES = isLongRun ? 'whole lives' : `lives of ${SHORT_LIFE * 100} % of their length`;

describe('the simulated service', () => {
  let program: string;
  let kept: readonly KeptSeed[];
  let told: readonly SeedResult[] = [];
  let toldOfClusters: readonly SeedResult[] = [];
  let again: Promise<readonly SeedResult[]> | undefined;
  beforeAll(async () => {
    program = await bundleSimulator('test');
    kept = JSON.parse(await readFile(new URL('../seeds.json', import.meta.url), 'utf8'));
  });
  afterAll(() => rm(program, { force: true }));

  /**
   * Repeats the kept seeds as whole lives, then the first two in reverse order, so that each runs after a different one
   * than before.
   */
  function tellAgain(): Promise<readonly SeedResult[]> {
    const firstTwo = [FIRST + 1, FIRST].map((seed) => ({ seed, lifeShare }));
    again ??= runSeeds({ program, order: { seeds: [...toOrderedSeeds(kept), ...firstTwo] } });
    return again;
  }

  it(
    `keeps every promise in ${COUNT} ${LIVES} from seed ${FIRST} on`,
    async () => {
      const seeds = Array.from({ length: COUNT }, (_, index) => FIRST + index);
      const results = await runSeeds({ program, order: { seeds, lifeShare }, ...spread });
      told = results;
      expect(toBroken(results)).toEqual([]);
      expect(results).toHaveLength(COUNT);
      // Otherwise the lives were too quiet to show anything.
      const sumOf = (name: string) => results.reduce((sum, { counts }) => sum + (counts[name] ?? 0), 0);
      expect(sumOf('trades')).toBeGreaterThan(COUNT);
      expect(sumOf('starts')).toBeGreaterThan(2 * COUNT);
      expect(kindsOfFaults(results)).toBeGreaterThanOrEqual(LEAST_KINDS_OF_FAULTS);
    },
    LIMIT_MS,
  );

  it(
    `keeps every promise in ${CLUSTER_COUNT} ${LIVES} of several nodes from seed ${FIRST} on`,
    async () => {
      const seeds = Array.from({ length: CLUSTER_COUNT }, (_, index) => FIRST + index);
      const results = await runSeeds({ program, order: { seeds, lifeShare, isCluster: true }, ...spread });
      toldOfClusters = results;
      expect(toBroken(results)).toEqual([]);
      expect(results).toHaveLength(CLUSTER_COUNT);
      expect(kindsOfFaults(results)).toBeGreaterThanOrEqual(LEAST_KINDS_OF_CLUSTER_FAULTS);
    },
    LIMIT_MS,
  );

  it('keeps them in every life that once broke one', async () => {
    expect(judgeKeptSeeds(kept, await tellAgain())).toEqual([]);
  });

  it('tells the same story of a seed every time, whatever was told before it', async () => {
    const seeds = [FIRST, FIRST + 1];
    const once = told.length > 0 ? told : await runSeeds({ program, order: { seeds, lifeShare } });
    const later = await tellAgain();
    const digests = seeds.map((seed) => later.findLast((each) => each.seed === seed)?.digest);
    expect(digests).toEqual(once.slice(0, seeds.length).map(({ digest }) => digest));
    expect(digests[0]?.lines).toBeGreaterThan(100);
  });

  it('tells the same story of several nodes every time', async () => {
    const tell = (seeds: readonly number[]) => runSeeds({ program, order: { seeds, lifeShare, isCluster: true } });
    const once = toldOfClusters.length > 0 ? toldOfClusters : await tell([FIRST, FIRST + 1]);
    const later = await tell([FIRST + 1, FIRST]);
    expect(later.map(({ digest }) => digest)).toEqual(once.slice(0, 2).map(({ digest }) => digest));
  });
});

/** One sentence for each violation. */
function toBroken(results: readonly SeedResult[]): string[] {
  return results.flatMap(({ seed, violations }) => violations.map((each) => `seed ${seed}: ${each}`));
}

function kindsOfFaults(results: readonly SeedResult[]): number {
  return new Set(results.flatMap(({ faults }) => Object.keys(faults))).size;
}
