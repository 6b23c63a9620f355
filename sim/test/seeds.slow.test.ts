// The whole service from seeds: no fault may break a promise, and a seed always tells the same story.
import { readFile, rm } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { isLongRun, seedFromEnv } from '@presage/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundleSimulator } from '../bundle.ts';
import { type KeptSeed, runKeptSeeds } from '../kept-seeds.ts';
import type { SeedResult } from '../run-seed.ts';
import { runSeeds } from '../run-seeds.ts';

const COUNT = isLongRun ? 2_000 : 100;
const FIRST = seedFromEnv(1);
/** A second of a core for each, which other test files share. */
const LIMIT_MS = COUNT * 10_000;

describe('the simulated service', () => {
  let program: string;
  let told: readonly SeedResult[] = [];
  beforeAll(async () => {
    program = await bundleSimulator('test');
  });
  afterAll(() => rm(program, { force: true }));

  it(
    `keeps every promise in ${COUNT} lives from seed ${FIRST} on`,
    async () => {
      const seeds = Array.from({ length: COUNT }, (_, index) => FIRST + index);
      const results = await runSeeds({ program, order: { seeds }, processes: availableParallelism() });
      told = results;
      const broken = results.flatMap(({ seed, violations }) => violations.map((each) => `seed ${seed}: ${each}`));
      expect(broken).toEqual([]);
      expect(results).toHaveLength(COUNT);
      // Otherwise the lives would have been too quiet to show anything.
      const sumOf = (name: string) => results.reduce((sum, { counts }) => sum + (counts[name] ?? 0), 0);
      expect(sumOf('trades')).toBeGreaterThan(COUNT);
      expect(sumOf('starts')).toBeGreaterThan(2 * COUNT);
    },
    LIMIT_MS,
  );

  it('keeps them in every life that once broke one', async () => {
    const kept = JSON.parse(await readFile(new URL('../seeds.json', import.meta.url), 'utf8')) as KeptSeed[];
    expect(await runKeptSeeds(program, kept)).toEqual([]);
  });

  it('tells the same story of a seed every time, whatever was told before it', async () => {
    // The other way round: one with nothing before it, one with another before it.
    const seeds = [FIRST, FIRST + 1];
    const once = told.length > 0 ? told : await runSeeds({ program, order: { seeds } });
    const again = await runSeeds({ program, order: { seeds: seeds.toReversed() } });
    expect(again.map(({ digest }) => digest)).toEqual(once.slice(0, seeds.length).map(({ digest }) => digest));
    expect(again[0]?.digest.lines).toBeGreaterThan(100);
  });
});
