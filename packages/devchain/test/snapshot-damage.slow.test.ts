// Whatever happens to the files of a snapshot, the chain comes out the same or says what is wrong, never something else.
import { cp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeDataDir } from './chain-client.ts';
import { ChainActivity, Dice, mineMixed, openChain, readEverything } from './snapshot-chain.ts';

describe('a chain with damaged snapshots', () => {
  it('skips a damaged or missing snapshot or archive and recovers the same state', async () => {
    const dataDir = await makeDataDir();
    const activity = new ChainActivity(new Dice('damage'));
    const open = await openChain(dataDir);
    for (const blocks of [68, 6, 6]) {
      await mineMixed(open, activity, blocks);
      await open.chain.checkpoint();
    }
    const before = await readEverything(open, activity);
    await open.close();
    const dir = join(dataDir, 'snapshots');
    const states = (await readdir(dir)).filter((name) => name.startsWith('state-')).sort();
    const segments = (await readdir(dir)).filter((name) => name.startsWith('blocks-')).sort();
    const newest = states.at(-1)!;
    const damages: [string, () => Promise<unknown>][] = [
      ['a flipped bit', () => flip(join(dir, newest), 0.5)],
      ['a file cut short', () => truncate(join(dir, newest), 100)],
      ['an empty file', () => truncate(join(dir, newest), 0)],
      ['no file', () => rm(join(dir, newest))],
      ['a damaged index of blocks', () => flip(join(dir, segments.at(-1)!), -50)],
      ['no file of the first blocks', () => rm(join(dir, segments[0]!))],
      ['no snapshots at all', () => rm(dir, { recursive: true })],
      ['remains of a write', () => writeFile(join(dir, 'state-000000000999-0000000500-abcdef01.tmp'), 'half')],
    ];
    for (const [what, damage] of damages) {
      await damage();
      const again = await openChain(dataDir);
      expect(await readEverything(again, activity), what).toEqual(before);
      await again.close();
    }
    const whole = await openChain(dataDir);
    expect(whole.damages).toEqual([]);
    expect(whole.chain.replayedBlocks).toBe(0);
    await whole.close();
  });

  it('refuses to answer from damaged old blocks, and makes them again at the next start', async () => {
    const dataDir = await makeDataDir();
    const activity = new ChainActivity(new Dice('blocks'));
    const open = await openChain(dataDir);
    await mineMixed(open, activity, 70);
    await open.chain.checkpoint();
    const before = await readEverything(open, activity);
    await open.close();
    const dir = join(dataDir, 'snapshots');
    // In the block itself, and in the blooms.
    for (const where of [0.001, 0.9]) {
      const [segment] = (await readdir(dir)).filter((name) => name.startsWith('blocks-'));
      await flip(join(dir, segment!), where);
      const damaged = await openChain(dataDir);
      await expect(readEverything(damaged, activity)).rejects.toThrow('a restart of the chain makes the file again');
      await damaged.close();
      const again = await openChain(dataDir);
      expect(await readEverything(again, activity)).toEqual(before);
      await again.close();
    }
  });

  it('refuses a snapshot of another chain', async () => {
    const [one, other] = [await makeDataDir(), await makeDataDir()];
    const activity = new ChainActivity(new Dice('one'));
    const first = await openChain(one);
    await mineMixed(first, activity, 70);
    await first.chain.checkpoint();
    await first.close();
    const second = await openChain(other);
    await second.ask('presage_setTimeOffset', 5_000);
    await second.ask('presage_mine', 80);
    const { hash } = second.chain.head;
    await second.close();
    await cp(join(one, 'snapshots'), join(other, 'snapshots'), { recursive: true });
    const again = await openChain(other);
    expect(again.chain.head.hash).toBe(hash);
    await again.close();
  });
});

/** Changes one bit: at this part of the file, or so many bytes before its end. */
async function flip(path: string, where: number): Promise<void> {
  const bytes = await readFile(path);
  const at = where < 0 ? bytes.length + where : Math.floor(bytes.length * where);
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  await writeFile(path, bytes);
}
