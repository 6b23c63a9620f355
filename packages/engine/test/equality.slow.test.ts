// The fast engine equals the naive one over a long flow: 15,000 random commands, a million in the long run.
import { isLongRun, seedFromEnv } from '@presage/testkit';
import { expect, it } from 'vitest';
import { runLockstep } from './lockstep.ts';

const runs = isLongRun ? 10 : 2;
const commands = isLongRun ? 100_000 : 7_500;

const firstSeed = seedFromEnv(1);
for (let seed = firstSeed; seed < firstSeed + runs; seed++) {
  it(`fast engine, naive engine, follower and restored engine agree over ${commands} commands of seed ${seed}`, () => {
    const { tally } = runLockstep({ seed, commands, checkEvery: isLongRun ? 5_000 : 2_500 });
    expect(Object.values(tally.events).reduce((sum, events) => sum + events, 0)).toBeGreaterThan(commands / 2);
  });
}
