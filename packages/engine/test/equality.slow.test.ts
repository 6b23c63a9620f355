// The engine equals the model over long lives: 20,000 random commands, two million in the long run.
import { isLongRun, seedFromEnv } from '@presage/testkit';
import { expect, it } from 'vitest';
import { runLockstep } from './lockstep.ts';

const runs = isLongRun ? 20 : 4;
const commands = isLongRun ? 100_000 : 5_000;
/** Every other life is cut into short steps, so that closings and cancel-alls go in parts. */
const SHORT_STEP = 7;

const firstSeed = seedFromEnv(1);
for (let seed = firstSeed; seed < firstSeed + runs; seed++) {
  it(`engine, model, follower and restored engine agree over ${commands} commands of seed ${seed}`, () => {
    const parts = seed % 2 === 0 ? { eventsPerStep: SHORT_STEP } : {};
    const { tally } = runLockstep({ seed, commands, checkEvery: isLongRun ? 5_000 : 1_250, ...parts });
    expect(Object.values(tally.events).reduce((sum, events) => sum + events, 0)).toBeGreaterThan(commands / 2);
  });
}
