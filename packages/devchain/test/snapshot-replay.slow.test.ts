// A chain that comes back from a snapshot is the same chain, in everything it answers, as one that executed every block again.
import { isLongRun, seedFromEnv } from '@presage/testkit';
import { expect, it } from 'vitest';
import { makeDataDir } from './chain-client.ts';
import { ChainActivity, Dice, openChain, readEverything } from './snapshot-chain.ts';

const SEED = seedFromEnv(7);
const SEEDS = Array.from({ length: isLongRun ? 8 : 1 }, (_, index) => String(SEED + index));
const LIVES = isLongRun ? 4 : 2;
/** At least so many things happen between two snapshots, and less than twice as many. */
const LEAST = isLongRun ? 40 : 22;

it.each(SEEDS)('answers the same before and after restarts, and as full replay does (seed %s)', async (seed) => {
  const dataDir = await makeDataDir();
  const dice = new Dice(seed);
  const activity = new ChainActivity(dice);
  for (let life = 0; life < LIVES; life += 1) {
    const open = await openChain(dataDir);
    for (let part = 0; part < (isLongRun ? 3 : 2); part += 1) {
      await activity.run(open, LEAST + dice.roll(LEAST));
      // Life goes on while a snapshot is taken; a reorganisation makes it give up.
      const taken = open.chain.checkpoint();
      await activity.run(open, dice.roll(8));
      await taken;
    }
    await activity.run(open, dice.roll(20));
    const before = await readEverything(open, activity);
    expect(open.damages).toEqual([]);
    await open.close();
    // The last life executes again what all before it did.
    const isExecutedAgain = isLongRun || life === LIVES - 1;
    for (const snapshots of ['snapshots', ...(isExecutedAgain ? [`fresh-${life}`, 'none'] : [])]) {
      const again = await openChain(dataDir, snapshots);
      expect(await readEverything(again, activity), snapshots).toEqual(before);
      expect(again.damages).toEqual([]);
      if (snapshots === 'snapshots') expect(again.chain.replayedBlocks).toBeLessThan(again.chain.head.number);
      await again.close();
    }
  }
});
