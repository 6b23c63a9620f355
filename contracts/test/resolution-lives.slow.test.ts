// Whole lives of markets on both oracles: with one honest bond the truth stands within ten days, no watched lie pays, and every unit leaves.
import { isLongRun, SeededRandom, seedFromEnv } from '@presage/testkit';
import { describe, expect, it } from 'vitest';
import { Life } from './resolution-life.ts';
import { type OracleKind, ResolutionWorld } from './resolution-world.ts';

const SEED = seedFromEnv(30);
const LIVES = isLongRun ? 600 : 40;
const DAYS = 10n;
const kinds: readonly (readonly [string, OracleKind])[] = [
  ['our oracle', 'ours'],
  ["UMA's OptimisticOracleV3", 'uma'],
];

describe.each(kinds)('the life of a market on %s', (_name, kind) => {
  it('ends within ten days with the truth if lies are disputed in time, and leaves nothing behind', async () => {
    const fixture = await ResolutionWorld.open(kind);
    const { shares, oracle } = fixture.world;
    let disputes = 0;
    for (let seed = SEED; seed < SEED + LIVES; seed++) {
      const life = new Life(fixture, new SeededRandom(seed));
      await life.play(DAYS).catch((error: unknown) => {
        throw new Error(`seed ${seed}, ${String(error)}`);
      });
      if (life.isWatched) expect(await fixture.payouts(), `seed ${seed}`).toEqual(life.payouts());
      disputes += life.disputes;
      await life.drain();
      for (const place of [shares, oracle, fixture.world.market]) {
        expect(await fixture.balanceOf(place), `seed ${seed}, ${place}`).toBe(0n);
      }
    }
    expect(disputes, 'lives without disputes prove nothing').toBeGreaterThan(LIVES / 2);
  }, 3_600_000);
});
